import Foundation
import RecordStore
import StoreInspection
import TestSupport
import Testing

/// The schema of a store for programs. `GeneratedModelsTests` hold the other forms to models.
struct SchemaTests {
  private let tandem = Tandem()

  @Test func `programs read classes by a schema of their own`() throws {
    try Shop.with { shop throws in
      let json = try JSON(parsing: tandem.run("schema", shop.path, "--json").output)
      #expect(try JSONSchema(of: "schema").violations(of: json) == [])
      let classes = try #require(json["classes"]?.arrayValue)
      #expect(classes.compactMap { $0["name"]?.stringValue } == ["Item", "List", "Tag"])
      #expect(classes[1]["attributes"]?.arrayValue?.first?["unique"] == .bool(true))
    }
    try Museum.with { museum throws in
      let json = try JSON(parsing: tandem.run("schema", museum.path("full"), "--json").output)
      #expect(try JSONSchema(of: "schema").violations(of: json) == [])
    }
  }

  @Test func `names that need backticks have them in the source`() throws {
    try Museum.with { museum throws in
      let outcome = try tandem.run("schema", museum.path("full"), "--swift")
      #expect(outcome.status == 0 && outcome.output.contains("var `some bool`: Bool"), "\(outcome)")
    }
  }

  @Test func `a class whose name Swift does not take has no source, and says so`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let store = folder.appendingPathComponent("odd.store", isDirectory: true)
    let book = EntityDefinition(name: "a`b", attributes: [AttributeDefinition(name: "title", type: .string)])
    _ = try RecordStore.open(
      StoreConfiguration(url: store, durability: .unsafeNoFlush),
      schema: StoreSchema(version: SchemaVersion(1, 0, 0), entities: [book]))
    let outcome = try tandem.run("schema", store.path, "--swift")
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.trouble.hasPrefix("tandem: 'a`b' is no name of a class in Swift, so"), "\(outcome)")
    #expect(try tandem.run("schema", store.path).status == 0)
  }
}
