import StoreInspection
import Testing

struct InfoTests {
  private let tandem = Tandem()

  @Test func `info names entities with their records, fields and indexes`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("info", shop.path)
      #expect(outcome.status == 0, "\(outcome.trouble)")
      for expected in [
        "store          \(shop.path)", "format         3, schema 1.2.0", "transactions   2",
        "  price: decimal, optional",
        "  list: reference to List, optional", "  items: many Item, cascade on delete", "  unique (name)",
        "  index (due)",
      ] {
        #expect(outcome.lines.contains(expected), "\(expected) is missing from:\n\(outcome.output)")
      }
      #expect(outcome.lines.contains { $0.hasPrefix("Item") && $0.split(separator: " ")[1] == "3" })
    }
  }

  @Test func `info in JSON is one object`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("info", shop.path, "--json")
      let json = try JSON(parsing: outcome.output)
      #expect(outcome.lines.count == 1)
      #expect(json["lastTransaction"] == .number("2"))
      guard case .array(let entities)? = json["entities"] else {
        Issue.record("no entities in \(outcome.output)")
        return
      }
      #expect(entities.map { $0["name"] } == [.string("Item"), .string("List"), .string("Tag")])
      #expect(entities.map { $0["records"] } == [.number("3"), .number("2"), .number("1")])
    }
  }
}
