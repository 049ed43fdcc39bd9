import Foundation
import RecordStore
import StoreInspection
import Testing

/// Two stores, record by record.
struct DiffTests {
  private let tandem = Tandem()

  /// The shop and a copy of it with the same records.
  private func withTwoShops(_ body: (Shop, String) throws -> Void) throws {
    try Shop.with { shop throws in
      let other = shop.folder.appendingPathComponent("other.store").path
      let dump = try tandem.run("dump", shop.path).output
      #expect(try tandem.run("load", other, input: dump).status == 0)
      try body(shop, other)
    }
  }

  @Test func `equal stores differ in nothing`() throws {
    try withTwoShops { shop, other throws in
      let outcome = try tandem.run("diff", shop.path, other)
      #expect(outcome.status == 0 && outcome.output == "no record differs\n", "\(outcome)")
      #expect(try tandem.run("diff", shop.path, other, "--json").output.isEmpty)
    }
  }

  @Test func `records that differ are told field by field`() throws {
    try withTwoShops { shop, other throws in
      _ = try tandem.run("edit", other, Shop.bread.description, "price=3.75", "list=Home", "tags=", "page=")
      _ = try tandem.run("delete", other, Shop.soap.description)
      _ = try tandem.run("insert", other, "Tag", input: #"{"@id":"00000000000030000000000000000002","name":"new"}"#)
      let outcome = try tandem.run("diff", shop.path, other)
      #expect(outcome.status == 1)
      #expect(
        outcome.lines == [
          "~ Item \(Shop.bread) Bread", "    price: 3.5 → 3.75", "    page: https://example.org/bread → nothing",
          "    list: Food \(Shop.food) → Home \(Shop.home)", "    tags: \(Shop.fresh) → nothing",
          "- Item \(Shop.soap) Soap: only in \(shop.path)",
          "+ Tag 00000000000030000000000000000002 new: only in \(other)",
          "1 record differs, 1 record only in \(shop.path), 1 record only in \(other)",
        ], "\(outcome.output)")
      let lists = try tandem.run("diff", shop.path, other, "--entity", "List")
      #expect(lists.status == 0 && lists.output == "no record differs\n")
    }
  }

  @Test func `programs read differences by a schema`() throws {
    try withTwoShops { shop, other throws in
      _ = try tandem.run("edit", other, Shop.bread.description, "price=3.75", "tags=")
      _ = try tandem.run("delete", other, Shop.soap.description)
      let schema = try JSONSchema(of: "diff")
      let lines = try tandem.run("diff", shop.path, other, "--json").lines.map { try JSON(parsing: $0) }
      #expect(lines.count == 2)
      for line in lines { #expect(schema.violations(of: line) == []) }
      #expect(
        lines[0]["fields"]?.arrayValue?.first == [
          "field": .string("price"), "first": .string("3.5"), "second": .string("3.75"),
        ])
    }
  }

  @Test func `an entity that neither store has is refused`() throws {
    try withTwoShops { shop, other throws in
      let outcome = try tandem.run("diff", shop.path, other, "--entity", "Itm")
      #expect(outcome.status == 2)
      #expect(outcome.trouble == "tandem: neither store has an entity 'Itm'; did you mean 'Item'?\n")
    }
  }
}
