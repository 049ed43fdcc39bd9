import Foundation
import StoreInspection
import Testing

struct KeyValueTests {
  private static let suite = "group.org.example.keys"

  /// A container of its own for each test.
  private func withContainer(_ body: (Tandem) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-keys-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do {
        try FileManager.default.removeItem(at: folder)
      } catch {
        Issue.record("could not remove \(folder.path): \(error)")
      }
    }
    var tandem = Tandem()
    tandem.environment["TANDEM_CONTAINER_ROOT"] = folder.path
    try body(tandem)
    let store = folder.appendingPathComponent("\(Self.suite)/KeyValues.store")
    if FileManager.default.fileExists(atPath: store.path) {
      #expect(try tandem.run("check", store.path).status == 0)
    }
  }

  @Test(arguments: [
    ("string", "a b", "a b", "\"a b\""), ("bool", "YES", "true", "true"), ("integer", "-3", "-3", "-3"),
    ("double", "0.1", "0.1", "0.1"), ("date", "2026-11-21", "2026-11-21T00:00:00Z", "\"2026-11-21T00:00:00Z\""),
    ("data", "AP8=", "AP8=", "\"AP8=\""),
    ("url", "https://x.org/ä", "https://x.org/%C3%A4", "\"https://x.org/%C3%A4\""),
    ("json", "[1,{\"a\":true}]", "[1,{\"a\":true}]", "[1,{\"a\":true}]"),
  ])
  func `a value comes back with its type`(type: String, given: String, shown: String, json: String) throws {
    try withContainer { tandem throws in
      let put = try tandem.run("put", Self.suite, "k", "--type", type, "--", given)
      #expect(put.status == 0, "\(put)")
      #expect(put.output.isEmpty)
      #expect(try tandem.run("get", Self.suite, "k").output == shown + "\n")
      let answer = try tandem.run("get", Self.suite, "k", "--json").output
      #expect(try JSON(parsing: answer)["value"]?.description == json)
    }
  }

  @Test func `keys are listed, replaced and removed`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", Self.suite, "name", "Ada")
      try tandem.run("put", Self.suite, "count", "1", "--type", "integer")
      try tandem.run("put", Self.suite, "name", "Bob")
      let list = try tandem.run("list", Self.suite)
      #expect(list.lines == ["key    type     value", "count  integer  1", "name   string   Bob"], "\(list)")
      #expect(try tandem.run("remove", Self.suite, "name").status == 0)
      #expect(
        try tandem.run("list", Self.suite, "--json").output
          == "{\"key\":\"count\",\"type\":\"integer\",\"value\":1}\n")
    }
  }

  @Test func `a key that is not there is 1, not an answer`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", Self.suite, "name", "Ada")
      for command in ["get", "remove"] {
        let outcome = try tandem.run(command, Self.suite, "nme")
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.trouble.hasPrefix("tandem: \(Self.suite) has no key 'nme'; 'tandem list"), "\(outcome)")
      }
    }
  }

  @Test func `a suite that is not there is not made by looking`() throws {
    try withContainer { tandem throws in
      let outcome = try tandem.run("get", Self.suite, "k")
      #expect(outcome.status == 2)
      #expect(outcome.trouble.contains("KeyValues.store"), "\(outcome)")
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: root).isEmpty)
    }
  }

  @Test(arguments: [
    ("integer", "1.5"), ("bool", "maybe"), ("date", "soon"), ("data", "?"), ("json", "{"), ("json", "null"),
  ])
  func `a value of another type is refused before anything is made`(type: String, value: String) throws {
    try withContainer { tandem throws in
      let outcome = try tandem.run("put", Self.suite, "k", "--type", type, value)
      #expect(outcome.status == 2)
      #expect(outcome.trouble.contains("is no \(type); give"), "\(outcome)")
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: root).isEmpty)
    }
  }

  @Test func `a store without keys and values says so`() throws {
    try Shop.with { shop throws in
      let outcome = try Tandem().run("put", "settings", "k", "v", "--in", shop.path)
      #expect(outcome.status == 2)
      #expect(outcome.trouble.contains("has no entity KeyValueEntry"), "\(outcome)")
    }
  }

  @Test func `a wrong group identifier is refused`() throws {
    let outcome = try Tandem().run("put", "../x", "k", "v")
    #expect(outcome.status == 2)
    #expect(outcome.trouble.contains("is not a group identifier"), "\(outcome)")
  }

  @Test func `reading a suite leaves its data file as it was`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", Self.suite, "name", "Ada")
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      let file = URL(fileURLWithPath: "\(root)/\(Self.suite)/KeyValues.store/data.mdb")
      let before = try Data(contentsOf: file)
      #expect(try tandem.run("get", Self.suite, "name").output == "Ada\n")
      #expect(try tandem.run("list", Self.suite).status == 0)
      #expect(try tandem.run("get", Self.suite, "other").status == 1)
      #expect(try Data(contentsOf: file) == before)
    }
  }
}
