import Foundation
import RecordStore
import StoreInspection
import Testing

struct DumpLoadTests {
  private let tandem = Tandem()

  @Test func `a dump loaded into a new store and dumped again has the same bytes but for the replica`() throws {
    try Shop.with { shop throws in
      let file = shop.folder.appendingPathComponent("dump.jsonl").path
      let copy = shop.folder.appendingPathComponent("copy.store").path
      #expect(try tandem.run("dump", shop.path, "--output", file).status == 0)
      let loaded = try tandem.run("load", copy, file)
      #expect(loaded.status == 0, "\(loaded.trouble)")
      let first = try tandem.run("dump", shop.path).lines
      let second = try tandem.run("dump", copy).lines
      // Seven visible records, a tombstone, a link, and a line at each end.
      #expect(first.count == 10)
      #expect(first.dropFirst() == second.dropFirst())
      let (one, two) = (try JSON(parsing: #require(first.first)), try JSON(parsing: #require(second.first)))
      #expect(one["store"] == two["store"])
      #expect(one["vector"] == two["vector"])
      #expect(one["replica"] != two["replica"])
      #expect(one["catalogue"]?["entities"] == two["catalogue"]?["entities"])
      #expect(try tandem.run("check", copy).status == 0)
    }
  }

  @Test func `a copy goes on as a replica of the same family`() throws {
    try Shop.with { shop throws in
      let copy = shop.folder.appendingPathComponent("copy.store")
      let dump = try tandem.run("dump", shop.path)
      #expect(try tandem.run("load", copy.path, input: dump.output).status == 0)
      let store = try shop.open(copy)
      let item = try store.read { try #require($0.catalogue.entity(named: "Item")) }
      let result = try store.commit(SaveRequest(changes: [.delete(entity: item.number, id: Shop.bread)]))
      let original = try shop.open()
      #expect(store.storeID == original.storeID)
      let newest = try #require(try original.read { try $0.versionVector.entries.values.map(\.stamp).max() })
      #expect(result.stamp > newest)
      #expect(try store.integrityViolations() == [])
    }
  }

  @Test func `lines that a person wrote become new edits`() throws {
    try Shop.with { shop throws in
      let lines = """
        {"entity":"List","fields":{"name":"Office"}}

        {"entity":"Item","id":"\(Shop.bread)","fields":{"price":"4.00","title":"Bread"}}
        {"entity":"Item","id":"\(Shop.soap)","fields":{"title":"Soap"}}

        """
      let outcome = try tandem.run("load", shop.path, "--into", "--author", "bob", input: lines)
      #expect(outcome.output == "1 inserted, 1 updated, 1 unchanged\n", "\(outcome.trouble)")
      let history = try tandem.run("history", shop.path, "--after", "2", "--changes").output
      #expect(history.contains("by bob"))
      #expect(history.contains("updated Item \(Shop.bread): price\n"))
      let again = try tandem.run("load", shop.path, "--into", "--json", input: lines.split(separator: "\n")[1] + "\n")
      #expect(again.output == "{\"inserted\":0,\"updated\":0,\"unchanged\":1,\"transaction\":0}\n")
    }
  }

  @Test func `a whole dump enters another store as edits, links included`() throws {
    try Shop.with { shop throws in
      let other = shop.folder.appendingPathComponent("other.store")
      try shop.create(at: other, isFilled: false)
      let dump = try tandem.run("dump", shop.path)
      let outcome = try tandem.run("load", other.path, "--into", input: dump.output)
      #expect(outcome.status == 0, "\(outcome.trouble)")
      let query = ["query", other.path, "Item", "--where", "any tags (name = 'fresh')", "--fields", "title", "--json"]
      #expect(
        try tandem.run(query[0], query[1], query[2], query[3], query[4], query[5], query[6], query[7]).output
          == "{\"title\":\"Bread\"}\n")
      #expect(try tandem.run("query", other.path, "Item", "--count").output == "3\n")
    }
  }

  @Test(arguments: [
    ("", "the input is empty"), ("hello\n", "line 1, column 1: expected a value"),
    ("{\"tandemDump\":9}\n", "the dump has format 9, this build reads up to 3; update tandem"),
    ("{\"entity\":\"Item\",\"fields\":{}}\n", "line 1 is not the schema line of a dump"),
  ])
  func `what is no dump is refused, and no store is left behind`(input: String, message: String) throws {
    try Shop.with { shop throws in
      let copy = shop.folder.appendingPathComponent("copy.store").path
      let outcome = try tandem.run("load", copy, input: input)
      #expect(outcome.status == 2)
      #expect(outcome.trouble.hasPrefix("tandem: \(message)"), "\(outcome.trouble)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path) == ["shop.store"])
    }
  }

  @Test func `one wrong line means that nothing was loaded`() throws {
    try Shop.with { shop throws in
      let before = try tandem.run("dump", shop.path).output
      let copy = shop.folder.appendingPathComponent("copy.store").path
      let broken = before.replacingOccurrences(of: "\"title\":\"Soap\"", with: "\"title\":7")
      let outcome = try tandem.run("load", copy, input: broken)
      #expect(outcome.status == 2)
      #expect(outcome.trouble.contains("has a value for 'title' that is no string"), "\(outcome.trouble)")
      #expect(!FileManager.default.fileExists(atPath: copy))
      let lines =
        "{\"entity\":\"List\",\"fields\":{\"name\":\"x\"}}\n{\"entity\":\"List\",\"fields\":{\"nam\":\"y\"}}\n"
      #expect(try tandem.run("load", shop.path, "--into", input: lines).status == 2)
      #expect(try tandem.run("dump", shop.path).output == before)
    }
  }

  @Test func `nothing is overwritten`() throws {
    try Shop.with { shop throws in
      let dump = try tandem.run("dump", shop.path).output
      let load = try tandem.run("load", shop.path, input: dump)
      #expect(load.status == 2)
      #expect(load.trouble.contains("is there already; name a new store, or add --into"), "\(load.trouble)")
      let file = shop.folder.appendingPathComponent("notes.txt")
      try Data("mine".utf8).write(to: file)
      let written = try tandem.run("dump", shop.path, "-o", file.path)
      #expect(written.status == 2)
      #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }
  }

  @Test func `Ctrl-C in the middle of a load leaves nothing behind`() throws {
    try Shop.with { shop throws in
      let dump = try tandem.run("dump", shop.path).output
      let input = Pipe()
      let loading = try tandem.start("load", shop.folder.path + "/copy.store", input: input)
      // All but the end: the program waits for more.
      try input.fileHandleForWriting.write(contentsOf: Data(dump.utf8))
      func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).sorted() }
      let deadline = ContinuousClock.now + .seconds(60)
      while try !names().contains(where: { $0.hasSuffix(".partial") }), ContinuousClock.now < deadline { sched_yield() }
      #expect(loading.end(by: SIGINT) == 130)
      #expect(try names() == ["shop.store"])
    }
  }

  /// Cut where a line ends, it looks like a dump of fewer records. A store made of that would take all others for
  /// known, so that no synchronisation brought them.
  @Test func `a dump that was cut, or of which lines are missing, is refused`() throws {
    try Shop.with { shop throws in
      let lines = try tandem.run("dump", shop.path).lines
      let copy = shop.folder.path + "/copy.store"
      let before = try tandem.run("query", shop.path, "Item", "--json").output
      func expectRefusal(_ lines: [String], _ message: String) throws {
        for arguments in [["load", copy], ["load", shop.path, "--into"]] {
          let outcome = try tandem.run(arguments: arguments, input: lines.map { $0 + "\n" }.joined())
          #expect(outcome.status == 2 && outcome.trouble.contains(message), "\(outcome)")
        }
        #expect(!FileManager.default.fileExists(atPath: copy))
      }
      for count in 1..<lines.count {
        try expectRefusal(Array(lines.prefix(count)), "the dump was cut: it ends after line \(count)")
      }
      try expectRefusal(Array(lines.prefix(1) + lines.dropFirst(2)), "lines between its first and its last one")
      try expectRefusal(lines + lines, "line \(lines.count + 1) follows the end of the dump")
      #expect(try tandem.run("query", shop.path, "Item", "--json").output == before)
    }
  }

  /// Written by former versions and this one; every later one must read them.
  @Test(arguments: [1, 3]) func `the golden dump of a format loads, and comes out again as it is`(format: Int) throws {
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../SyncFixtures/golden/dump-\(format)/shop.jsonl").standardizedFileURL
    try Shop.with { shop throws in
      let copy = shop.folder.path + "/copy.store"
      let loaded = try tandem.run("load", copy, golden.path)
      #expect(loaded.output == "7 records loaded into \(copy)\n", "\(loaded)")
      let expected = try String(contentsOf: golden, encoding: .utf8).split(separator: "\n").map(String.init)
      let lines = try tandem.run("dump", copy).lines
      #expect(lines.dropFirst().dropLast() == expected.dropFirst().dropLast(format < 3 ? 0 : 1))
      #expect(lines.last == #"{"tandemDumpEnd":\#(lines.count - 2)}"#)
      #expect(
        try tandem.run("query", copy, "Item", "--where", "price = 3.50 and list.name = 'Food'", "--count").output
          == "1\n")
      #expect(try tandem.run("check", copy).status == 0)
    }
  }
}
