import Foundation
import RecordStore
import Testing

@testable import SQLiteBridge

/// An export of format 1 as it was first written, in `SyncFixtures/golden/sqlite-export-1`: every type of value and
/// every kind of relationship, and beside it the same records as JSON Lines.
struct GoldenExportTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/golden/sqlite-export-1").standardizedFileURL

  /// Every kind of storage that a catalogue describes.
  static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Exhibit",
      attributes: FieldType.allCases.filter { $0 != .reference }.map { AttributeDefinition(name: "\($0)", type: $0) },
      relationships: [
        RelationshipDefinition(name: "hall", destination: "Hall", inverse: "exhibits"),
        RelationshipDefinition(name: "tags", destination: "Hall", isToMany: true, inverse: "tagged"),
      ], uniquenessConstraints: [["int", "string"]], fieldGroups: [["bool", "date"]]),
    EntityDefinition(
      name: "Hall", attributes: [AttributeDefinition(name: "name", type: .string, defaultValue: .string("a"))],
      relationships: [
        RelationshipDefinition(name: "exhibits", destination: "Exhibit", isToMany: true, inverse: "hall"),
        RelationshipDefinition(name: "tagged", destination: "Exhibit", isToMany: true, inverse: "tags"),
        RelationshipDefinition(name: "neighbours", destination: "Hall", isToMany: true),
      ], uniquenessConstraints: [["name"]]),
  ])

  @Test func `an export of format 1 is read as it was written, and written again as it was`() throws {
    try SQLiteFixture.with { fixture throws in
      let golden = Self.folder.appending(path: "museum.sqlite")
      #expect(try fixture.importNew(golden).inserted == 23)
      let store = try RecordStore.open(fixture.configuration("new"))
      let lines = fixture.folder.appending(path: "lines.jsonl")
      _ = try TextExport.writeJSONLines(store, to: lines)
      #expect(try Data(contentsOf: lines) == Data(contentsOf: Self.folder.appending(path: "museum.jsonl")))
      let again = fixture.folder.appending(path: "again.sqlite")
      _ = try SQLiteExport.write(store, to: again)
      #expect(try contents(of: again) == contents(of: golden))
    }
  }

  /// Declarations and rows of all tables but the catalogue's, whose numbers are each store's own.
  private func contents(of url: URL) throws -> [[[SQLiteValue]]] {
    let connection = try SQLiteCopy(url).open()
    let names = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name <> 'tandem_export' ORDER BY name")
    return try [names]
      + names.map { try connection.rows("SELECT * FROM \(SQLiteName.quoted($0[0].text)) ORDER BY 1, 2") }
  }
}
