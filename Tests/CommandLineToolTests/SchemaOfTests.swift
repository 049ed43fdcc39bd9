import Foundation
import RecordStore
import StoreInspection
import TestSupport
import Testing

/// What commands print for programs is what `schema-of` says.
struct SchemaOfTests {
  private let tandem = Tandem()

  private func schema(of command: String) throws -> JSONSchema { try JSONSchema(of: command) }

  /// Runs a command and holds each line to the schema; the lines.
  @discardableResult
  private func expect(
    _ command: String, _ arguments: String..., input: String = "", status: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [JSON] {
    let words = command.split(separator: " ").map(String.init) + arguments + ["--json"]
    let outcome = try tandem.run(arguments: words, input: input)
    #expect(outcome.status == status, "\(outcome.trouble)", sourceLocation: sourceLocation)
    let schema = try schema(of: command)
    let lines = try outcome.lines.map { try JSON(parsing: $0) }
    #expect(!lines.isEmpty, sourceLocation: sourceLocation)
    for line in lines { #expect(schema.violations(of: line) == [], "\(command)", sourceLocation: sourceLocation) }
    return lines
  }

  @Test func `every command with an answer for programs has a schema`() throws {
    // A dump is JSON by itself, in a format of its own.
    let others: Set = ["dump", "schema-of", "serve", "shell", "help"]
    let described = Set(try tandem.run("schema-of").lines.map { String($0.split(separator: " ")[0]) })
    let overview = try tandem.run("--help").lines
    let commands = overview.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
      .filter { name in name.allSatisfy { $0.isLowercase || $0 == "-" } && !name.hasPrefix("-") }
    #expect(commands.contains("conflicts") && commands.contains("rebuild"), "\(commands)")
    for command in commands where !others.contains(command) { #expect(described.contains(command), "\(command)") }
  }

  @Test func `a command that has none is told`() throws {
    let outcome = try tandem.run("schema-of", "inf")
    #expect(outcome.status == 2)
    #expect(outcome.trouble == "tandem: there is no schema of 'inf'; did you mean 'info'?\n")
  }

  @Test func `what is no answer violates the schema`() throws {
    let load = try schema(of: "load")
    #expect(load.violations(of: ["inserted": .integer(1), "updated": .integer(0), "unchanged": .integer(0)]) != [])
    let history = try schema(of: "history")
    #expect(history.violations(of: ["number": .string("1")]) != [])
    #expect(try schema(of: "query").violations(of: ["@id": .string("1")]) != [])
    #expect(try schema(of: "retire").violations(of: ["place": .string("a"), "retired": .string("x")]) != [])
  }

  @Test func `commands that take records to files and back`() throws {
    try Museum.with { museum throws in
      let file = museum.folder.appendingPathComponent("full.sqlite").path
      try expect("export", museum.path("full"), file)
      try expect("import", museum.path("empty"), file)
    }
  }

  @Test func `commands that look at a store`() throws {
    try Museum.with { museum throws in
      let path = museum.path("full")
      try expect("info", path)
      for entity in Museum.schema.entities { try expect("query", path, entity.name) }
      try expect("query", path, "Hall", "--count")
      try expect("query", path, "Hall", "--explain")
      try expect("query", path, "Hall", "--fields", "name,exhibits")
      try expect("check", path)
      try expect("load", museum.path("empty"), "--into", input: #"{"@entity":"Hall","name":"new"}"#)
      try expect("backup", path, museum.folder.appendingPathComponent("backup").path)
      let restored = try expect("restore", path, museum.folder.appendingPathComponent("backup").path)
      #expect(restored[0]["replaced"] != .null)
      try expect("salvage", path, museum.path("salvaged"))
    }
    try Shop.with { shop throws in
      let lines = try expect("history", shop.path)
      #expect(lines.count == 2)
      #expect(lines[0]["author"] == .string("ada"))
    }
  }

  @Test func `commands that change a store`() throws {
    try Shop.with { shop throws in
      let lines = try expect("insert", shop.path, "Tag", "name=cheap", "items=\(Shop.bread),\(Shop.milk)")
      let id = try #require(lines[0]["id"]?.stringValue)
      #expect(try expect("edit", shop.path, id, "name=dear", "items=")[0]["changes"]?.arrayValue?.count == 3)
      try expect("delete", shop.path, id, "--dry-run")
      try expect("delete", shop.path, "List", "--where", "name = 'Food'", "--yes")
    }
  }

  @Test func `a damaged store`() throws {
    try Shop.with { shop throws in
      var bytes = try Data(contentsOf: shop.dataFile)
      for place in bytes.indices.dropFirst(3 * 4096) { bytes[place] = 7 }
      try bytes.overwrite(shop.dataFile)
      let found = try tandem.run("check", shop.path, "--json")
      #expect(found.status == 1, "\(found)")
      #expect(try schema(of: "check").violations(of: JSON(parsing: found.output)) == [])
      try FileManager.default.removeItem(at: shop.url)
    }
  }

  @Test func `commands of devices`() throws {
    try Shop.with { shop throws in
      let (phone, laptop) = (shop.folder.path + "/phone", shop.folder.path + "/laptop")
      let store = phone + "/group.example/shop.store"
      try shop.create(at: URL(fileURLWithPath: store), isFilled: true)
      try FileManager.default.createDirectory(atPath: laptop, withIntermediateDirectories: true)
      try expect("sync", phone, laptop, "--dry-run")
      try expect("sync", phone, laptop)
      let folder = shop.folder.path + "/folder"
      let watch = try tandem.start("sync", phone, "--folder", folder, "--create", "--watch", "--json")
      let event = try JSON(parsing: try #require(watch.line()))
      #expect(event["event"] == .string("synchronized"))
      #expect(try schema(of: "sync").violations(of: event) == [])
      #expect(watch.end(by: SIGINT) == 0)
      for (device, price) in [(phone, "7.5"), (laptop, "8.5")] {
        let line = #"{"@entity":"Item","@id":"\#(Shop.soap)","price":"\#(price)"}"#
        #expect(try tandem.run("load", "--into", device + "/group.example/shop.store", input: line).status == 0)
      }
      try expect("sync", phone, laptop)
      let status = try expect("status", phone)
      let conflicts = try expect("conflicts list", phone)
      let id = try #require(conflicts.first?["id"]?.stringValue)
      try expect("conflicts show", phone, id)
      try expect("conflicts restore", phone, id)
      let replicas = try #require(status[0].arrayValue?.first?["status"]?["replicas"]?.arrayValue)
      let other = try #require(replicas.first { $0["isOwn"] == .bool(false) }?["id"]?.stringValue)
      try expect("rebuild", store, "--from", laptop, "--accept-loss", status: 1)
      try expect("retire", phone, other)
    }
  }

  private func unlinkAll(_ folder: URL) {
    do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
  }

  @Test func `commands of keys and values`() throws {
    let folder = try makeTemporaryFolder()
    defer { unlinkAll(folder) }
    let device = folder.path
    try expect("put", "theme", "dark", "--device", device)
    try expect("put", "city", "Kyiv", "--expires", "1h", "--device", device)
    try expect("increment", "starts", "--device", device)
    for value in [#"[1,"a",true,null]"#, #"{"a":1.5}"#] {
      _ = try tandem.run("put", "nested", value, "--type", "json", "--device", device)
    }
    #expect(try expect("list", "--device", device).count >= 3)
    try expect("get", "theme", "city", "--device", device)
    try expect("suites list", "--device", device)
    let export = try tandem.run("suites", "export", "--device", device).output
    try expect("suites import", "--device", device, input: export)
    let watch = try tandem.start("watch", "theme", "--device", device, "--json")
    let schema = try schema(of: "watch")
    #expect(try schema.violations(of: JSON(parsing: #require(watch.line()))) == [])
    try expect("remove", "theme", "--device", device)
    let gone = try JSON(parsing: #require(watch.line()))
    #expect(gone["removed"] == JSON.string("theme"))
    #expect(schema.violations(of: gone) == [])
    _ = watch.end(by: SIGINT)
  }

  @Test func `a conflict about a key says which`() throws {
    let folder = try makeTemporaryFolder()
    defer { unlinkAll(folder) }
    let (phone, laptop) = (folder.path + "/phone", folder.path + "/laptop")
    for device in [phone, laptop] {
      try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: false)
    }
    _ = try tandem.run("put", "theme", "light", "--device", phone)
    try expect("sync", phone, laptop)
    for (device, value) in [(phone, "dark"), (laptop, "red")] {
      _ = try tandem.run("put", "theme", value, "--device", device)
    }
    try expect("sync", phone, laptop)
    let found = try expect("conflicts list", phone) + expect("conflicts list", laptop)
    let names = found.map { [$0["suite"]?.stringValue, $0["key"]?.stringValue] }
    #expect(names.contains(["default", "theme"]), "\(found)")
  }

  @Test func `a scenario`() throws {
    let scenarios = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../SyncFixtures/scenarios").standardizedFileURL
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: scenarios.path).sorted().first)
    try expect("scenario run", scenarios.appendingPathComponent(name).path)
  }
}
