import Foundation
import RecordStore
import StoreInspection
import Testing

struct BackupTests {
  private let tandem = Tandem()

  /// A shop whose items must have a price now: the two that had none cost nothing.
  private func withMigrated(_ body: (Shop) throws -> Void) throws {
    try Shop.with { shop throws in
      var schema = Shop.schema
      schema.version = SchemaVersion(1, 3, 0)
      schema.entities[0].attributes[1].isOptional = false
      schema.entities[0].attributes[1].defaultValue = .decimal(0)
      let configuration = StoreConfiguration(url: shop.url)
      let without = try RecordStore.open(configuration).read { snapshot in
        let price = snapshot.catalogue.entities[0].fields[1]
        return try snapshot.fetch(RecordQuery(entity: 0)).filter { $0.value(of: price) == .null }.count
      }
      #expect(without > 0)
      _ = try RecordStore.open(configuration, schema: schema)
      try body(shop)
    }
  }

  @Test func `copies from before migrations are listed and restored`() throws {
    try withMigrated { shop throws in
      let list = try tandem.run("backups", shop.path)
      #expect(list.status == 0, "\(list.trouble)")
      #expect(list.lines.count == 2)
      #expect(list.lines.last?.hasSuffix("1.2.0") == true)
      let json = try JSON(parsing: tandem.run("backups", shop.path, "--json").output)
      #expect(json["schema"] == .string("1.2.0"))
      #expect(try JSONSchema(of: "backups").violations(of: json) == [])
      guard case .string(let name)? = json["name"] else {
        Issue.record("no name in \(json)")
        return
      }

      let restored = try tandem.run("restore", shop.path, name)
      #expect(restored.status == 0, "\(restored.trouble)")
      #expect(restored.lines.first == "restored \(name), schema 1.2.0")
      let again = try tandem.run("restore", shop.path, name, "--json")
      #expect(try JSONSchema(of: "restore").violations(of: JSON(parsing: again.output)) == [])
      #expect(try tandem.run("info", shop.path).output.contains("schema 1.2.0"))
      #expect(try tandem.run("check", shop.path).status == 0)
      #expect(try tandem.run("backups", shop.path).lines.count == 4)
    }
  }

  @Test(arguments: [[], ["--json"]])
  func `copies of a store that is not there are no empty list`(options: [String]) throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run(arguments: ["backups", shop.path + ".none"] + options)
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      #expect(outcome.trouble.hasPrefix("tandem: there is no store at "), "\(outcome.trouble)")
    }
  }

  @Test func `a store without copies lists none, and an unknown copy is an error`() throws {
    try Shop.with { shop throws in
      let list = try tandem.run("backups", shop.path)
      #expect(list.status == 0 && list.output.isEmpty)
      #expect(list.trouble == "no copies: no migration of this store has rewritten records\n")
      for arguments in [["restore", shop.path], ["restore", shop.path, "20260101T000000Z-1.0.0"]] {
        let outcome = try tandem.run(arguments: arguments)
        #expect(outcome.status != 0)
        #expect(outcome.trouble.contains("tandem backups"))
      }
    }
  }
}
