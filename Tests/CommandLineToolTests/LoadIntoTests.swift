import Foundation
import RecordStore
import StoreInspection
import Testing

/// `load --into`: what it refuses, how it counts, and that it takes back what `query --json` prints.
struct LoadIntoTests {
  private let tandem = Tandem()

  @Test(arguments: [
    (#"{"entity":"List","fields":{}}"#, "line 2 has no value for 'name' of 'List', which is required"),
    (#"{"@entity":"List"}"#, "line 2 has no value for 'name' of 'List', which is required and has no default; add it"),
    (#"{"@entity":"List","name":null}"#, "line 2 has null for 'name' of 'List', which is required; add one"),
    (#"{"@entity":"List","@id":"\#(Shop.food)","name":null}"#, "line 2 has null for 'name' of 'List'"),
    (
      #"{"@entity":"Item","title":"a","done":true,"weight":1}"#,
      "line 2 has no value for 'size' of 'Item', which is required and has no default; add it"
    ),
    (#"{"@entity":"Item","@id":"\#(Shop.soap)","list":"\#(Shop.gone)"}"#, "line 2 refers by 'list' to \(Shop.gone)"),
    (#"{"@entity":"List","@id":"\#(Shop.food)","items":["\#(Shop.gone)"]}"#, "line 2 refers by 'items' to"),
    (#"{"@entity":"List","@id":"\#(Shop.food)","items":"\#(Shop.soap)"}"#, "line 2 has a value for 'items' that is no"),
    (#"{"@entity":"List","name":"New"}"#, "line 2 has the same unique value of 'List' as line 1; remove one"),
    (#"{"@entity":"Lst","name":"x"}"#, "line 2 names the entity 'Lst', which the store does not have"),
    (#"{"@entity":"List","nam":"x"}"#, "line 2 names the field 'nam', which 'List' does not have"),
    (
      #"{"@entity":"Tag","@id":"\#(Shop.soap)","name":"x"}"#,
      "line 2 gives 'Tag' the id \(Shop.soap), which is one of 'Item' in the store; leave the id out"
    ),
    (#"{"@entity":"Tag","@id":"\#(Shop.gone)","name":"x"}"#, "line 2 gives 'Tag' the id \(Shop.gone), which is one of"),
    (#"{"name":"x"}"#, "line 2 names no entity; write its name as \"@entity\""),
  ])
  func `a line that would have values made up is refused by its number, and nothing was loaded`(
    line: String, message: String
  ) throws {
    try Shop.with { shop throws in
      let before = try tandem.run("dump", shop.path).output
      let outcome = try tandem.run(
        "load", shop.path, "--into", input: #"{"@entity":"List","name":"New"}"# + "\n" + line + "\n")
      #expect(outcome.status == 2)
      #expect(outcome.trouble.hasPrefix("tandem: \(message)"), "\(outcome.trouble)")
      #expect(outcome.trouble.hasSuffix(", nothing was loaded\n"), "\(outcome.trouble)")
      #expect(try tandem.run("dump", shop.path).output == before)
    }
  }

  @Test func `what the store refuses says that nothing was loaded`() throws {
    try Shop.with { shop throws in
      let before = try tandem.run("dump", shop.path).output
      // The other list has the name, and an update takes it from nobody.
      let line = #"{"@entity":"List","@id":"\#(Shop.food)","name":"Home"}"#
      let outcome = try tandem.run("load", shop.path, "--into", input: line)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.trouble.hasSuffix(", nothing was loaded\n"), "\(outcome.trouble)")
      #expect(try tandem.run("dump", shop.path).output == before)
    }
  }

  @Test func `lines are counted by what they change, and a second load saves nothing`() throws {
    try Shop.with { shop throws in
      let lines = """
        {"@entity":"List","name":"Office"}
        {"@entity":"List","name":"Food"}
        {"@entity":"Item","@id":"\(Shop.soap)","title":"Soap","done":false}
        {"@entity":"Item","@id":"\(Shop.milk)","tags":["\(Shop.fresh)"]}
        {"@entity":"Tag","name":"dear"}

        """
      #expect(
        try tandem.run("load", shop.path, "--into", input: lines).output == "2 inserted, 2 updated, 1 unchanged\n")
      let history = try tandem.run("history", shop.path, "--json").output
      #expect(
        try tandem.run("load", shop.path, "--into", "--json", input: lines).output
          == "{\"inserted\":0,\"updated\":0,\"unchanged\":5,\"transaction\":0}\n")
      #expect(try tandem.run("history", shop.path, "--json").output == history)
    }
  }

  @Test func `a new record may leave out what has a default, and refer to later lines`() throws {
    try Shop.with { shop throws in
      let (item, list) = (RecordID(high: 9, low: 1), RecordID(high: 9, low: 2))
      let lines = """
        {"@entity":"Item","@id":"\(item)","title":"Ink","done":false,"weight":0,"size":0,"list":"\(list)"}
        {"@entity":"Item","@id":"\(Shop.soap)","list":"\(list)"}
        {"@entity":"List","@id":"\(list)","name":"Office"}

        """
      #expect(
        try tandem.run("load", shop.path, "--into", input: lines).output == "2 inserted, 1 updated, 0 unchanged\n")
      let listed = try tandem.run("query", shop.path, "List", "--where", "name = 'Office'", "--json").output
      #expect(try JSON(parsing: listed)["items"] == .array([.string("\(item)"), .string("\(Shop.soap)")]))
      #expect(
        try tandem.run("query", shop.path, "Item", "--where", "title = 'Ink' and amount = 1", "--count").output == "1\n"
      )
    }
  }

  @Test func `references to a record that has another id here lead to that one`() throws {
    try Shop.with { shop throws in
      let stranger = RecordID(high: 9, low: 3)
      let lines = """
        {"@entity":"Item","@id":"\(Shop.soap)","list":"\(stranger)"}
        {"@entity":"List","@id":"\(stranger)","name":"Food"}

        """
      #expect(
        try tandem.run("load", shop.path, "--into", input: lines).output == "0 inserted, 1 updated, 1 unchanged\n")
      #expect(
        try tandem.run("query", shop.path, "Item", "--where", "list.name = 'Food'", "--count").output == "3\n")
    }
  }

  @Test func `a list of related records names all of them`() throws {
    try Shop.with { shop throws in
      func load(_ lines: String) throws -> String {
        let outcome = try tandem.run("load", shop.path, "--into", input: lines)
        return outcome.output + outcome.trouble
      }
      func food() throws -> String {
        let food = ["--where", "list.name = 'Food'", "--fields", "title", "--json"]
        return try tandem.run(arguments: ["query", shop.path, "Item"] + food).output
      }
      #expect(try food() == "{\"title\":\"Bread\"}\n{\"title\":\"Milk \\u001b[31m\\n漢\"}\n")
      #expect(
        try load(#"{"@entity":"List","@id":"\#(Shop.food)","items":["\#(Shop.soap)","\#(Shop.bread)"]}"#)
          == "0 inserted, 1 updated, 0 unchanged\n")
      #expect(try food() == "{\"title\":\"Bread\"}\n{\"title\":\"Soap\"}\n")
      // Moved by the lists of both places, one of which leaves it out.
      let both = """
        {"@entity":"List","@id":"\(Shop.food)","items":["\(Shop.bread)"]}
        {"@entity":"List","@id":"\(Shop.home)","items":["\(Shop.soap)"]}

        """
      #expect(try load(both) == "0 inserted, 2 updated, 0 unchanged\n")
      #expect(try food() == "{\"title\":\"Bread\"}\n")
      let torn = """
        {"@entity":"List","@id":"\(Shop.food)","items":["\(Shop.bread)","\(Shop.milk)"]}
        {"@entity":"Item","@id":"\(Shop.milk)","list":"\(Shop.home)"}

        """
      #expect(
        try load(torn)
          == "tandem: line 1 links a record in another way than line 2 does; correct one of the two, "
          + "nothing was loaded\n"
      )
      #expect(
        try load(#"{"@entity":"Item","@id":"\#(Shop.bread)","tags":[]}"#) == "0 inserted, 1 updated, 0 unchanged\n")
      #expect(try tandem.run("query", shop.path, "Item", "--where", "count tags > 0", "--count").output == "0\n")
    }
  }

  @Test func `a new record takes a unique value that another line gives up`() throws {
    try Shop.with { shop throws in
      let lines = """
        {"@entity":"List","name":"Food"}
        {"@entity":"List","@id":"\(Shop.food)","name":"Meals"}

        """
      #expect(
        try tandem.run("load", shop.path, "--into", input: lines).output == "1 inserted, 1 updated, 0 unchanged\n")
      #expect(try tandem.run("query", shop.path, "List", "--count").output == "3\n")
    }
  }

  /// Every type, with what JSON has no word for, every kind of relationship, a hierarchy, and hostile texts.
  @Test func `what queries list makes another store equal`() throws {
    try Museum.with { museum throws in
      var lines = ""
      for entity in Museum.schema.entities {
        let outcome = try tandem.run("query", museum.path("full"), entity.name, "--json")
        #expect(outcome.status == 0, "\(outcome.trouble)")
        lines += outcome.output
      }
      let loaded = try tandem.run("load", museum.path("empty"), "--into", input: lines)
      #expect(loaded.output == "\(Museum.recordCount) inserted, 0 updated, 0 unchanged\n", "\(loaded.trouble)")
      let expected = try museum.contents(of: "full")
      #expect(expected.count > Museum.recordCount)
      for (loaded, expected) in zip(try museum.contents(of: "empty"), expected) { #expect(loaded == expected) }
      #expect(try museum.contents(of: "empty").count == expected.count)
      let again = try tandem.run("load", museum.path("empty"), "--into", input: lines)
      #expect(again.output == "0 inserted, 0 updated, \(Museum.recordCount) unchanged\n", "\(again.trouble)")
      #expect(try tandem.run("history", museum.path("empty")).lines.count == 1)
    }
  }

  /// Devices with an older schema make records without fields that are required since; a deleted record stays named.
  @Test func `what a dumped record was never given is loaded as its store reads it`() throws {
    try Shop.with { shop throws in
      let other = shop.folder.appendingPathComponent("other.store")
      try shop.create(at: other, isFilled: false)
      let dump = try tandem.run("dump", shop.path).output
        .replacingOccurrences(of: "\"weight\":0.1,", with: "")
        .replacingOccurrences(of: "\"list\":\"\(Shop.home)\"", with: "\"list\":\"\(Shop.gone)\"")
      #expect(!dump.contains("\"weight\":0.1") && dump.contains("\"list\":\"\(Shop.gone)\""))
      #expect(try tandem.run("load", other.path, "--into", input: dump).status == 0)
      let found = ["query", other.path, "Item", "--where", "title = 'Bread' and weight = 0", "--count"]
      #expect(try tandem.run(arguments: found).output == "1\n")
      let lost = ["query", other.path, "Item", "--where", "title = 'Soap' and list = null", "--count"]
      #expect(try tandem.run(arguments: lost).output == "1\n")
      let again = try tandem.run("load", other.path, "--into", input: dump)
      #expect(again.output == "0 inserted, 0 updated, 8 unchanged\n", "\(again)")
    }
  }

  @Test func `a dump makes another store equal, and a second time changes nothing`() throws {
    try Museum.with { museum throws in
      let dump = try tandem.run("dump", museum.path("full")).output
      let loaded = try tandem.run("load", museum.path("empty"), "--into", input: dump)
      #expect(loaded.status == 0, "\(loaded.trouble)")
      for (loaded, expected) in zip(try museum.contents(of: "empty"), try museum.contents(of: "full")) {
        #expect(loaded == expected)
      }
      let again = try tandem.run("load", museum.path("empty"), "--into", input: dump)
      #expect(again.output.hasPrefix("0 inserted, 0 updated, "), "\(again.output)\(again.trouble)")
      #expect(try tandem.run("history", museum.path("empty")).lines.count == 1)
    }
  }
}
