import RecordStore
import StoreInspection
import Testing

struct QueryTests {
  private let tandem = Tandem()

  /// First letters of the titles.
  private func titles(_ shop: Shop, _ arguments: String...) throws -> String {
    var tandem = tandem
    tandem.environment["STORE"] = shop.path
    let outcome = try tandem.shell(
      "\"$TANDEM\" query \"$STORE\" Item --fields title --json " + arguments.joined(separator: " "))
    #expect(outcome.status == 0, "\(outcome.trouble)")
    let titles = try outcome.lines.map { try JSON(parsing: $0)["title"]?.stringValue ?? "?" }
    return titles.map { String($0.prefix(1)) }.joined()
  }

  @Test(arguments: [
    ("title = 'Bread'", "B"), ("price > 1.20", "B"), ("price >= 1.2", "BM"), ("price = null", "S"),
    ("list.name = 'Food' and not done", "BM"), ("done", "S"), ("due < 2027-01-01", "B"),
    ("title contains 'oa'", "S"), ("title search 'BREAD'", "B"), ("key != null", "B"),
    ("weight = 0.1 or done = true", "BS"), ("size > 18446744073709551614", "B"), ("any tags (name = 'fresh')", "B"),
    ("count tags = 0", "MS"), ("page startswith 'https:'", "B"), ("@id = '\(Shop.milk)'", "M"),
    ("title in ('Bread', 'Soap')", "BS"), ("(title = 'Bread' or title = 'Soap') and amount = 1", "BS"),
  ])
  func `a condition chooses records`(condition: String, expected: String) throws {
    try Shop.with { shop throws in
      #expect(try titles(shop, "--where", "\"\(condition)\"", "--sort title") == expected)
    }
  }

  @Test func `records are sorted, cut and counted`() throws {
    try Shop.with { shop throws in
      #expect(try titles(shop, "--sort=-title") == "SMB")
      #expect(try titles(shop, "--sort -title") == "SMB")
      #expect(try titles(shop, "--sort list.name,-title") == "MBS")
      #expect(try titles(shop, "--sort title --limit 1 --offset 1") == "M")
      #expect(try tandem.run("query", shop.path, "Item", "--count").output == "3\n")
      #expect(try tandem.run("query", shop.path, "Item", "--count", "--json").output == "{\"count\":3}\n")
    }
  }

  @Test func `a table shows values without letting them steer the terminal`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("query", shop.path, "Item", "--fields", "title,price", "--sort", "title")
      #expect(
        outcome.lines == [
          "title                price", "Bread                  3.5", "Milk \\u{1b}[31m\\n漢    1.2", "Soap",
        ],
        "\(outcome.output)")
    }
  }

  @Test func `values in JSON are exact`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("query", shop.path, "Item", "--where", "title = 'Bread'", "--json")
      let json = try JSON(parsing: outcome.output)
      #expect(json["@id"] == .string(Shop.bread.description))
      #expect(json["price"] == .string("3.5"))
      #expect(json["size"] == .number("18446744073709551615"))
      #expect(json["weight"] == .number("0.1"))
      #expect(json["due"] == .string("2026-11-21T08:30:00Z"))
      #expect(json["picture"] == .string("AP8="))
      #expect(json["list"] == .string(Shop.food.description))
    }
  }

  @Test func `explain tells the plan and runs nothing`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("query", shop.path, "List", "--where", "name = 'Food'", "--explain")
      #expect(outcome.status == 0)
      #expect(outcome.output.contains("index"), "\(outcome.output)")
      #expect(!outcome.output.contains(Shop.food.description))
    }
  }

  @Test func `a wrong condition is shown with its place`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("query", shop.path, "Item", "--where", "done and titel = 'x'")
      #expect(outcome.status == 2)
      #expect(outcome.output.isEmpty)
      #expect(
        outcome.trouble == """
          tandem: --where, column 10: 'Item' has no field 'titel'; did you mean 'title'?
            done and titel = 'x'
                     ^

          """)
    }
  }

  @Test(arguments: [
    (["Itm"], "the store has no entity 'Itm'; did you mean 'Item'?"),
    (["Item", "--sort", "prise"], "--sort prise: 'Item' has no field 'prise'; did you mean 'price'?"),
    (["Item", "--fields", "x"], "--fields x: 'Item' has no such field; there is 'amount'"),
  ])
  func `wrong names are told with the nearest right one`(arguments: [String], message: String) throws {
    try Shop.with { shop throws in
      var tandem = tandem
      tandem.environment["STORE"] = shop.path
      let outcome = try tandem.shell("\"$TANDEM\" query \"$STORE\" " + arguments.joined(separator: " "))
      #expect(outcome.status == 2)
      #expect(outcome.trouble.hasPrefix("tandem: \(message)"), "\(outcome.trouble)")
    }
  }
}
