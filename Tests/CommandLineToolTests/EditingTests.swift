import Foundation
import HelperProcess
import RecordStore
import StoreInspection
import Testing

/// Records that a person inserts, edits and deletes by hand.
struct EditingTests {
  private let tandem = Tandem()

  /// The record that `query --json` prints.
  private func record(_ shop: Shop, _ entity: String, _ condition: String) throws -> JSON? {
    let outcome = try tandem.run("query", shop.path, entity, "--where", condition, "--json")
    return try outcome.lines.first.map { try JSON(parsing: $0) }
  }

  private func expectRefusal(
    _ outcome: Tandem.Outcome, _ sentence: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.status == 2, "\(outcome)", sourceLocation: sourceLocation)
    #expect(outcome.output.isEmpty, "\(outcome)", sourceLocation: sourceLocation)
    #expect(outcome.trouble == "tandem: \(sentence)\n", sourceLocation: sourceLocation)
  }

  @Test func `a record is inserted with values of every type`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run(
        "insert", shop.path, "Item", "title=Tea = ☕", "price=3.50", "due=2026-11-21T08:30:00Z", "done=true",
        "key=01020304-0506-0708-090a-0b0c0d0e0f10", "weight=-0.5", "picture=AP8=", "page=https://example.org/tea",
        "size=18446744073709551615", "colour={\"b\":1,\"a\":[2]}", "list=Food", "tags=fresh", "--author", "ada")
      #expect(outcome.status == 0, "\(outcome)")
      let item = try #require(try record(shop, "Item", "title startswith 'Tea'"))
      #expect(outcome.output == "inserted Item \(try #require(item["@id"]?.stringValue))\n")
      #expect(item["title"] == .string("Tea = ☕") && item["price"] == .string("3.5") && item["done"] == .bool(true))
      #expect(item["due"] == .string("2026-11-21T08:30:00Z") && item["weight"] == .number("-0.5"))
      #expect(item["amount"] == .number("1"), "the default")
      #expect(item["size"] == .number("18446744073709551615") && item["picture"] == .string("AP8="))
      #expect(item["colour"]?.description == #"{"a":[2],"b":1}"#)
      #expect(item["list"] == .string(Shop.food.description))
      #expect(item["tags"] == .array([.string(Shop.fresh.description)]))
      let history = try tandem.run("history", shop.path, "--after", "2")
      #expect(history.output.contains(" by ada ") && history.lines.count == 1, "\(history.output)")
    }
  }

  /// Infinity was saved in its place.
  @Test func `a number beyond all doubles is refused however it is given`() throws {
    try Shop.with { shop throws in
      let plain = ["insert", shop.path, "Item", "title=Tea", "done=true", "size=1", "list=Food"]
      let tea = #"{"@entity":"Item","title":"Tea","done":true,"size":1,"weight":1e400,"list":"\#(Shop.food)"}"#
      for outcome in [
        try tandem.run(arguments: plain + ["weight=1e400"]), try tandem.run(arguments: plain + ["weight:=-1e400"]),
        try tandem.run("insert", shop.path, "Item", input: tea),
        try tandem.run("load", shop.path, "--into", input: tea),
        try tandem.run("query", shop.path, "Item", "--where", "weight < 1e400"),
        try tandem.run("put", "weight", "1e400", "--type", "double", "--device", shop.folder.path),
      ] {
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
        #expect(["number", "double"].contains { outcome.trouble.contains($0) }, "\(outcome)")
      }
      #expect(try record(shop, "Item", "title = 'Tea'") == nil)
      for weight in ["weight=1e300", "weight:=\"inf\""] {
        let done = try tandem.run(arguments: plain + [weight])
        #expect(done.status == 0, "\(done)")
      }
    }
  }

  @Test func `an object on standard input is a record`() throws {
    try Shop.with { shop throws in
      let items = [Shop.milk, Shop.soap].map { "\"\($0)\"" }.joined(separator: ",")
      let outcome = try tandem.run(
        "insert", shop.path, "List", input: "{\n\"@entity\":\"List\",\"name\":\"Sweets\",\"items\":[\(items)]}\n")
      #expect(outcome.status == 0, "\(outcome)")
      let list = try #require(try record(shop, "List", "name = 'Sweets'"))
      #expect(list["items"]?.arrayValue?.count == 2)
      #expect(try record(shop, "Item", "title = 'Soap'")?["list"] == list["@id"])
      let again = try tandem.run("insert", shop.path, "List", input: list.description)
      let id = try #require(list["@id"]?.stringValue)
      expectRefusal(
        again,
        "there is a 'List' with the id \(id); change it by 'tandem edit', or leave the id out; nothing was changed")
      expectRefusal(
        try tandem.run("insert", shop.path, "Tag", input: "{\"@id\":\"\(id)\",\"name\":\"new\"}"),
        "the id \(id) is one of 'List', and an id names one record; leave the id out; nothing was changed")
    }
  }

  @Test(arguments: [
    (["Itm", "title=x"], "the store has no entity 'Itm'; did you mean 'Item'?; nothing was changed"),
    (["Item", "titel=x"], "'Item' has no field 'titel'; did you mean 'title'?; nothing was changed"),
    (
      ["Item", "title=x"],
      "'Item' requires a value of 'done', 'weight', 'size'; give them; nothing was changed"
    ),
    (["List", "name:=null"], "'List' requires a value of 'name'; give one; nothing was changed"),
    (
      ["List", "name=Food"],
      "the 'List' \(Shop.food) has the same 'name', which is unique; edit that record, or give another value; "
        + "nothing was changed"
    ),
    (
      ["List", "name=x", "items=Bread"],
      "'items' is given a 'Item' that the store does not have; name a record by its "
        + "id, or by the value of a unique attribute; nothing was changed"
    ),
    (["List", "name"], "'name' gives no field a value; write it as title=Bread, or with JSON as title:=null"),
    (["List", "name=a", "name=b"], "'name' is given two values; give one"),
    (["List", "name:=x"], "the value of 'name' is no JSON: column 1: expected a value; write text as name=…"),
    (["List", "name:=1"], "'name' holds text; write text, in JSON between quotes; nothing was changed"),
    (["Item", "done=perhaps"], "'done' holds yes or no; write true or false; nothing was changed"),
    (["Item", "amount=1.5"], "'amount' holds whole numbers; write one such as 42; nothing was changed"),
    (
      ["Item", "due=yesterday"],
      "'due' holds dates; write one such as 2026-11-21, '2026-11-21 08:30' or 2026-11-21T08:30:00Z; nothing was changed"
    ),
    (["Item", "tags:=3"], "'tags' leads to records; give an array of ids; nothing was changed"),
    (
      ["List"],
      "standard input is no JSON object (column 1: the text ends where a value is expected); write values as "
        + "title=Bread, or correct it"
    ),
  ])
  func `what the schema refuses is one sentence, and changes nothing`(words: [String], sentence: String) throws {
    try Shop.with { shop throws in
      let before = try Data(contentsOf: shop.dataFile)
      let outcome = try tandem.run(arguments: ["insert", shop.path] + words)
      expectRefusal(outcome, sentence)
      #expect(try Data(contentsOf: shop.dataFile) == before)
    }
  }

  @Test func `a record is edited by its id`() throws {
    try Shop.with { shop throws in
      let id = Shop.milk.description
      let outcome = try tandem.run("edit", shop.path, id.uppercased(), "title=Oat milk", "price=", "list=Home")
      #expect(outcome.output == "edited Item \(id)\n", "\(outcome)")
      let item = try #require(try record(shop, "Item", "title = 'Oat milk'"))
      #expect(item["price"] == .null && item["list"] == .string(Shop.home.description))
      let list = try #require(try record(shop, "List", "name = 'Home'"))
      #expect(list["items"]?.arrayValue?.count == 2, "the other side of the relationship follows")
      let equal = try tandem.run("edit", shop.path, id, "title=Oat milk", "--json")
      #expect(try JSON(parsing: equal.output)["transaction"] == .integer(0))
      #expect(try tandem.run("edit", shop.path, id, "price=").output == "nothing to change in Item \(id)\n")
    }
  }

  @Test func `a list of related records names all of them`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run(
        "edit", shop.path, Shop.fresh.description, "items=\(Shop.milk),\(Shop.soap)")
      #expect(outcome.status == 0, "\(outcome)")
      let tag = try #require(try record(shop, "Tag", "name = 'fresh'"))
      #expect(tag["items"] == .array([Shop.milk, Shop.soap].map { .string($0.description) }))
      #expect(try tandem.run("edit", shop.path, Shop.food.description, "items=").status == 0)
      #expect(try record(shop, "Item", "title = 'Bread'")?["list"] == .null)
    }
  }

  @Test func `an edit that the schema refuses changes nothing`() throws {
    try Shop.with { shop throws in
      let absent = RecordID(high: 9, low: 9)
      expectRefusal(
        try tandem.run("edit", shop.path, absent.description, "title=x"),
        "the store has no record \(absent); 'tandem query' shows those that it has; nothing was changed")
      expectRefusal(
        try tandem.run("edit", shop.path, "bread", "title=x"),
        "'bread' is no id of a record, which has 32 hexadecimal digits; 'tandem query' shows them")
      expectRefusal(
        try tandem.run("edit", shop.path, Shop.home.description, "name=Food"),
        "the 'List' \(Shop.food) has the same 'name', which is unique; edit that record, or give another value; "
          + "nothing was changed")
      expectRefusal(
        try tandem.run("edit", shop.path, Shop.bread.description, input: #"{"@entity":"List","name":"x"}"#),
        "the object on standard input is a record of 'List', not of 'Item'; name that entity; nothing was changed")
      #expect(try tandem.run("history", shop.path).lines.count == 2)
    }
  }

  @Test func `a record is deleted with what the schema's rules take along`() throws {
    try Shop.with { shop throws in
      let food = Shop.food.description
      let preview = try tandem.run("delete", shop.path, food, "--dry-run")
      #expect(preview.lines.first == "3 records (1 List, 2 Item), 1 link would be deleted", "\(preview)")
      #expect(
        Set(preview.lines.dropFirst()) == [
          "  List \(food) Food", "  Item \(Shop.bread) Bread", "  Item \(Shop.milk) Milk \\u{1b}[31m\\n漢",
        ])
      #expect(try tandem.run("history", shop.path).lines.count == 2, "a dry run commits nothing")
      expectRefusal(
        try tandem.run("delete", shop.path, food),
        "3 records (1 List, 2 Item), 1 link would be deleted; add --yes if that is meant, nothing was deleted")
      let outcome = try tandem.run("delete", shop.path, food, "--yes")
      #expect(outcome.output == "3 records (1 List, 2 Item), 1 link deleted\n", "\(outcome)")
      #expect(try tandem.run("query", shop.path, "Item", "--count").output == "1\n")
      let single = try tandem.run("delete", shop.path, Shop.soap.description)
      #expect(single.output == "1 record (1 Item) deleted\n", "one record asks nothing: \(single)")
    }
  }

  @Test func `records that meet a condition are deleted in one save`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("delete", shop.path, "Item", "--where", "not done", "--yes", "--json")
      let json = try JSON(parsing: outcome.output)
      #expect(json["deleted"] == .integer(2) && json["transaction"] == .integer(3), "\(outcome)")
      #expect(
        try tandem.run("delete", shop.path, "Item", "--where", "title = 'x'").output == "no record deleted\n")
      #expect(try tandem.run("history", shop.path).lines.count == 3)
    }
  }

  @Test func `an id that is not there keeps all others`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("delete", shop.path, Shop.soap.description, Shop.gone.description, "--yes")
      expectRefusal(
        outcome, "the store has no record \(Shop.gone); 'tandem query' shows those that it has")
      #expect(try tandem.run("query", shop.path, "Item", "--count").output == "3\n")
    }
  }

  private static let hasScript = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

  @Test(
    .enabled(if: hasScript, "the command `script` makes the terminal"),
    arguments: [("y", 0, 1), ("n", 2, 3), ("", 2, 3)])
  func `a person is asked before more than one record goes`(answer: String, status: Int32, left: Int) throws {
    try Shop.with { shop throws in
      var tandem = tandem
      tandem.environment["LINE"] = "\"$TANDEM\" delete '\(shop.path)' \(Shop.food)"
      let outcome = try tandem.shell(
        "echo '\(answer)' | script --quiet --return --command \"$LINE\" /dev/null")
      #expect(outcome.output.contains("Delete 3 records (1 List, 2 Item), 1 link? [y/N]"), "\(outcome)")
      #expect(outcome.status == status, "\(outcome)")
      #expect(try self.tandem.run("query", shop.path, "Item", "--count").output == "\(left)\n")
    }
  }

  @Test func `a delete that a rule denies is refused`() throws {
    let folder = try makeFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appendingPathComponent("books.store")
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Author", attributes: [AttributeDefinition(name: "name", type: .string)],
        relationships: [
          RelationshipDefinition(
            name: "books", destination: "Book", isToMany: true, deleteRule: .deny, inverse: "author")
        ], uniquenessConstraints: [["name"]]),
      EntityDefinition(
        name: "Book", attributes: [AttributeDefinition(name: "title", type: .string)],
        relationships: [RelationshipDefinition(name: "author", destination: "Author", inverse: "books")]),
    ])
    _ = try RecordStore.open(StoreConfiguration(url: url, durability: .unsafeNoFlush), schema: schema)
    #expect(try tandem.run("insert", url.path, "Author", "name=Ada").status == 0)
    #expect(try tandem.run("insert", url.path, "Book", "title=Notes", "author=Ada").status == 0)
    expectRefusal(
      try tandem.run("delete", url.path, "Author", "--where", "name = 'Ada'", "--yes"),
      "a record of Author cannot be deleted while others refer to it under a rule of deny: delete or change those "
        + "first; nothing was changed")
    let answer = try tandem.run("delete", url.path, "Book", "--where", "title = 'Notes'")
    #expect(answer.output == "1 record (1 Book) deleted\n", "\(answer)")
  }

  private func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-edit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test func `a class that the store does not know is refused`() throws {
    try Museum.with { museum throws in
      let path = museum.path("full")
      let id = RecordID(high: 1, low: 1).description
      let wrong = try tandem.run("edit", path, id, ".class=Paintng")
      #expect(wrong.status == 2 && wrong.trouble.contains("no class 'Paintng' of 'Exhibit'"), "\(wrong)")
      #expect(wrong.trouble.contains("did you mean 'Painting'?"), "\(wrong)")
      for word in [".class:=null", ".class=Painting"] {
        #expect(try tandem.run("edit", path, id, word).output.contains("edited"))
      }
    }
  }

  @Test func `dates without a zone are those of the clock on the wall`() throws {
    try Shop.with { shop throws in
      var tandem = tandem
      for (zone, text, utc) in [
        ("Europe/Kyiv", "2026-07-01 12:00", "2026-07-01T09:00:00Z"),
        ("Europe/Kyiv", "2026-12-01", "2026-11-30T22:00:00Z"),
        ("Europe/Kyiv", "2026-07-01T12:00:00+01:00", "2026-07-01T11:00:00Z"),
        // Clocks leave it out, or show it twice: east of UTC the second time was taken, and west of it the first.
        ("Europe/Kyiv", "2026-03-29 03:30", "2026-03-29T01:30:00Z"),
        ("America/New_York", "2026-03-08 02:30", "2026-03-08T07:30:00Z"),
        ("Europe/Kyiv", "2026-10-25 03:30", "2026-10-25T00:30:00Z"),
        ("America/New_York", "2026-11-01 01:30", "2026-11-01T05:30:00Z"),
      ] {
        tandem.environment["TZ"] = zone
        _ = try tandem.run("edit", shop.path, Shop.bread.description, "due=\(text)")
        #expect(try record(shop, "Item", "title = 'Bread'")?["due"] == .string(utc), "\(text)")
      }
    }
  }

  /// The end of the year 9999, which many programs write for "never", was shown as a number of seconds.
  @Test func `the last day that has four digits of a year is a date in every zone`() throws {
    try Shop.with { shop throws in
      var tandem = tandem
      _ = try tandem.run("edit", shop.path, Shop.bread.description, "due=9999-12-31T23:59:59Z")
      #expect(try record(shop, "Item", "title = 'Bread'")?["due"] == .string("9999-12-31T23:59:59Z"))
      for (zone, text) in [
        ("America/New_York", "9999-12-31 18:59:59-05:00"), ("Asia/Tokyo", "10000-01-01 08:59:59+09:00"),
      ] {
        tandem.environment["TZ"] = zone
        let shown = try tandem.run("query", shop.path, "Item", "--where", "due > 9999-12-01", "--fields", "due")
        #expect(shown.lines.last == text, "\(shown)")
      }
    }
  }
}
