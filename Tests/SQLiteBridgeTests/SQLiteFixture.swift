import Foundation
import RecordStore
import StoreInspection
import Testing

@testable import SQLiteBridge

/// A folder with SQLite files that SQL makes, gone afterwards.
struct SQLiteFixture {
  let folder: URL

  static func with(_ body: (SQLiteFixture) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-bridge-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try body(SQLiteFixture(folder: folder))
  }

  /// Statements are separated by empty lines.
  @discardableResult
  func make(_ script: String, named name: String = "given.sqlite") throws -> URL {
    let url = folder.appendingPathComponent(name)
    let connection = try SQLiteConnection.creating(url.path)
    for statement in script.components(separatedBy: "\n\n") { try connection.execute(statement) }
    return url
  }

  func configuration(_ name: String) -> StoreConfiguration {
    StoreConfiguration(url: folder.appendingPathComponent("\(name).store"), durability: .unsafeNoFlush)
  }

  /// A new store of a file.
  @discardableResult
  func importNew(_ url: URL, named name: String = "new") throws -> ImportReport {
    try SQLiteImport(url).create(configuration(name))
  }

  /// The records of a store's entity as lines of JSON without ids, sorted.
  func records(_ entity: String, in name: String = "new") throws -> [String] {
    let store = try RecordStore.open(configuration(name))
    #expect(try store.integrityViolations() == [])
    return try store.read { snapshot in
      let entity = try #require(snapshot.catalogue.entity(named: entity))
      return try snapshot.fetch(RecordQuery(entity: entity.number)).map { record in
        JSON.object(
          entity.fields.filter { $0.type != .reference }.map { .init($0.name, record.value(of: $0).programJSON) }
        ).description
      }.sorted()
    }
  }

  private func text(of field: CatalogueField, _ record: RecordImage) -> String {
    TextColumn.field(field).csvText(of: record.value(of: field).json) ?? ""
  }

  /// The names that relationships lead to, by a text field of both sides, as `from > to`.
  func links(
    _ relationship: String, of entity: String, named field: String, to other: String, in name: String = "new"
  ) throws -> [String] {
    let store = try RecordStore.open(configuration(name))
    return try store.read { snapshot in
      let from = try #require(snapshot.catalogue.entity(named: entity))
      let destination = try #require(from.relationship(named: relationship)).destination
      let to = try #require(snapshot.catalogue.entity(named: destination))
      var links: [String] = []
      for record in try snapshot.fetch(RecordQuery(entity: from.number)) {
        let name = try text(of: #require(from.field(named: field)), record)
        for id in try snapshot.related(record.id, of: from.number, relationship: relationship) {
          let target = try #require(try snapshot.record(id, of: to.number))
          links.append("\(name) > \(try text(of: #require(to.field(named: other)), target))")
        }
      }
      return links.sorted()
    }
  }
}

extension SQLiteConnection {
  /// Makes a new database in a file that does not exist, or is empty.
  static func creating(_ path: String) throws -> SQLiteConnection {
    if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
    return try filling(path)
  }
}
