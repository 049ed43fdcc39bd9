import Foundation
import RecordStore
import StoreInspection
import Testing

/// The forms in which records and groups are listed.
struct ListingTests {
  private let tandem = Tandem()

  private func output(_ arguments: String..., zone: String = "UTC") throws -> String {
    var tandem = tandem
    tandem.environment["TZ"] = zone
    let outcome = try tandem.run(arguments: arguments)
    #expect(outcome.status == 0, "\(outcome)")
    return outcome.output
  }

  @Test func `CSV has a heading, quotes what needs it, and tells no value from no text`() throws {
    try Shop.with { shop throws in
      _ = try output("edit", shop.path, Shop.soap.description, "title=say \"no\", twice")
      _ = try output("edit", shop.path, Shop.bread.description, "title=")
      let text = try output(
        "query", shop.path, "Item", "--sort", "title", "--fields", "@id,title,price,due,done,tags", "--csv",
        zone: "Europe/Kyiv")
      #expect(
        text == """
          @id,title,price,due,done,tags\r
          \(Shop.bread),"",3.5,2026-11-21T08:30:00Z,false,\(Shop.fresh)\r
          \(Shop.milk),"Milk \u{1B}[31m\n漢",1.2,,false,""\r
          \(Shop.soap),"say ""no"", twice",,,true,""\r

          """)
      #expect(
        try output("query", shop.path, "List", "--sort", "name", "--fields", "name,@entity", "--tsv")
          == "name\t@entity\nFood\tList\nHome\tList\n")
    }
  }

  @Test func `a related record is shown with its name beside its id`() throws {
    try Shop.with { shop throws in
      let text = try output(
        "query", shop.path, "Item", "--sort", "title", "--fields", "list,tags", "--where", "not done")
      #expect(
        text.split(separator: "\n").dropFirst().map(String.init) == [
          "Food \(Shop.food)  fresh \(Shop.fresh)", "Food \(Shop.food)",
        ])
    }
  }

  @Test func `moments are local, with their zone, in tables and conditions alike`() throws {
    try Shop.with { shop throws in
      func due(_ condition: String, _ zone: String) throws -> String {
        try output("query", shop.path, "Item", "--fields", "due", "--where", condition, zone: zone)
      }
      #expect(try due("due != null", "Europe/Kyiv") == "due\n2026-11-21 10:30:00+02:00\n")
      #expect(try due("due = '2026-11-21 10:30:00+02:00'", "America/St_Johns") == "due\n2026-11-21 05:00:00-03:30\n")
      #expect(try due("due >= 2026-11-21T10:30 and due < 2026-11-21T10:31", "Europe/Kyiv").contains("10:30"))
      #expect(try output("history", shop.path, zone: "Asia/Kolkata").contains("+05:30  "))
      // Until 1937 the offset had seconds, which were left out.
      _ = try tandem.run("edit", shop.path, Shop.bread.description, "due=1900-01-01T00:00:00Z")
      let old = try due("due < 1901-01-01", "Europe/Amsterdam")
      let text = try #require(old.split(separator: "\n").last)
      #expect(try due("due = '\(text)'", "Europe/Kyiv").split(separator: "\n").count == 2, "\(text)")
    }
  }

  @Test func `one value a line holds values whole`() throws {
    try Shop.with { shop throws in
      let text = try output(
        "query", shop.path, "Item", "--sort", "title", "--fields", "title,price,list", "--limit", "2", "--vertical")
      #expect(
        text == """
          title  Bread
          price  3.5
          list   Food \(Shop.food)

          title  Milk \\u{1b}[31m\\n漢
          price  1.2
          list   Food \(Shop.food)

          """)
    }
  }

  @Test func `forms exclude each other`() throws {
    let outcome = try tandem.run("query", "x", "Item", "--csv", "--json")
    #expect(outcome.status == 2)
    #expect(outcome.trouble.contains("--json, --csv, --tsv and --vertical exclude each other"), "\(outcome)")
  }
}

/// Values over groups of records.
struct GroupTests {
  private let tandem = Tandem()

  private func json(_ shop: Shop, _ arguments: String...) throws -> [String] {
    let outcome = try tandem.run(arguments: ["query", shop.path, "Item"] + arguments + ["--json"])
    #expect(outcome.status == 0, "\(outcome)")
    let schema = try JSONSchema(of: "query")
    for line in outcome.lines { #expect(try schema.violations(of: JSON(parsing: line)) == []) }
    return outcome.lines
  }

  @Test func `groups are counted, summed and averaged`() throws {
    try Shop.with { shop throws in
      #expect(
        try json(
          shop, "--group-by", "list.name,done", "--count", "--sum", "price", "--sum", "amount", "--average", "price",
          "--min", "price", "--max", "title") == [
            #"{"@group":{"list.name":"Food","done":false},"count":2,"sum":{"price":"4.7","amount":2},"#
              + #""average":{"price":"2.35"},"min":{"price":"1.2"},"max":{"title":"Milk \u001b[31m\n漢"}}"#,
            #"{"@group":{"list.name":"Home","done":true},"count":1,"sum":{"price":"0","amount":1},"#
              + #""average":{"price":null},"min":{"price":null},"max":{"title":"Soap"}}"#,
          ])
      #expect(try json(shop, "--average", "amount", "--where", "done") == [#"{"@group":{},"average":{"amount":1.0}}"#])
      #expect(try json(shop, "--group-by", "due").count == 2, "no value is a group")
    }
  }

  @Test func `a sum that is no number stands behind all others`() throws {
    try Shop.with { shop throws in
      let folder = URL(filePath: shop.path).deletingLastPathComponent()
      let file = folder.appending(path: "Sample.csv")
      try Data("k,x\na,3.5\nb,nan\nc,1.5\nd,9.5\ne,0.5\n".utf8).write(to: file)
      let store = folder.appending(path: "sample.store").path
      let schema = StoreSchema(entities: [
        EntityDefinition(
          name: "Sample",
          attributes: [AttributeDefinition(name: "k", type: .string), AttributeDefinition(name: "x", type: .double)])
      ])
      _ = try RecordStore.open(StoreConfiguration(url: URL(filePath: store)), schema: schema)
      let outcome = try tandem.run("import", store, file.path)
      #expect(outcome.status == 0, "\(outcome)")
      let query = ["query", store, "Sample", "--group-by", "k", "--sum", "x", "--csv", "--sort"]
      func groups(_ order: String) throws -> [String] {
        try tandem.run(arguments: query + [order]).output.split(whereSeparator: \.isNewline).dropFirst()
          .map { String($0.prefix(1)) }
      }
      #expect(try groups("sum(x)") == ["e", "c", "a", "d", "b"])
      #expect(try groups("-sum(x)") == ["b", "d", "a", "c", "e"])
    }
  }

  @Test func `groups are a table in the order that is asked for`() throws {
    try Shop.with { shop throws in
      let query = ["query", shop.path, "Item", "--group-by", "list", "--count", "--sum", "price"]
      let outcome = try tandem.run(arguments: query + ["--sort=-sum(price),count", "--limit", "1"])
      #expect(
        outcome.lines == [
          "list                                   count  sum(price)", "Food \(Shop.food)      2         4.7",
        ], "\(outcome)")
      #expect(
        try tandem.run(arguments: query + ["--sort", "-count", "--offset", "1", "--csv"]).output
          == "list,count,sum(price)\r\n\(Shop.home),1,0\r\n")
      let wrong = try tandem.run(arguments: query + ["--sort", "sum(prise)"])
      #expect(
        wrong.trouble
          == "tandem: --sort sum(prise): no column of the groups is named so; did you mean 'sum(price)'?\n")
    }
  }

  @Test(arguments: [
    (["--sum", "title"], "values of type string have no sum: sum a number"),
    (["--sum", "prise"], "--sum prise: 'Item' has no field 'prise'; did you mean 'price'?"),
    (["--max", "done"], "values of type bool have no order: take the minimum of another field"),
  ])
  func `what cannot be computed is one sentence`(arguments: [String], sentence: String) throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run(arguments: ["query", shop.path, "Item"] + arguments)
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      #expect(outcome.trouble == "tandem: \(sentence)\n")
    }
  }
}
