import StoreInspection
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

  @Test func `a schema whose names Swift does not take has no source, and says so`() throws {
    try Museum.with { museum throws in
      let outcome = try tandem.run("schema", museum.path("full"), "--swift")
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      #expect(outcome.trouble.hasPrefix("tandem: 'some bool' of 'Exhibit' is no name in Swift"), "\(outcome)")
      #expect(try tandem.run("schema", museum.path("full")).status == 0)
    }
  }
}
