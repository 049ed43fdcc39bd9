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
      let put = try tandem.run("put", "--suite", Self.suite, "k", "--type", type, "--", given)
      #expect(put.status == 0, "\(put)")
      #expect(put.output.isEmpty)
      #expect(try tandem.run("get", "--suite", Self.suite, "k").output == shown + "\n")
      let answer = try tandem.run("get", "--suite", Self.suite, "k", "--json").output
      #expect(try JSON(parsing: answer)["value"]?.description == json)
    }
  }

  @Test func `keys are listed, replaced and removed`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", "--suite", Self.suite, "name", "Ada")
      try tandem.run("put", "--suite", Self.suite, "count", "1", "--type", "integer")
      try tandem.run("put", "--suite", Self.suite, "name", "Bob")
      let list = try tandem.run("list", "--suite", Self.suite)
      #expect(list.lines == ["key    type     value", "count  integer  1", "name   string   Bob"], "\(list)")
      #expect(try tandem.run("remove", "--suite", Self.suite, "name").status == 0)
      #expect(
        try tandem.run("list", "--suite", Self.suite, "--json").output
          == "{\"key\":\"count\",\"type\":\"integer\",\"value\":1}\n")
    }
  }

  @Test func `a suite that nothing was put into yet says what makes it`() throws {
    try withContainer { tandem throws in
      for arguments in [["list"], ["get", "theme"], ["watch", "theme"], ["remove", "theme"]] {
        let outcome = try tandem.run(arguments: arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
        #expect(
          outcome.trouble.contains("there is no suite default yet, in ")
            && outcome.trouble.contains("'tandem put' makes it"), "\(outcome)")
      }
      #expect(try tandem.run("put", "theme", "dark").status == 0)
      #expect(try tandem.run("get", "theme").output == "dark\n")
    }
  }

  @Test func `a key that is not there is 1, not an answer`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", "--suite", Self.suite, "name", "Ada")
      for command in ["get", "remove"] {
        let outcome = try tandem.run(command, "nme", "--suite", Self.suite)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.trouble.hasPrefix("tandem: \(Self.suite) has no key 'nme'; 'tandem list"), "\(outcome)")
      }
    }
  }

  @Test func `a suite that is not there is not made by looking`() throws {
    try withContainer { tandem throws in
      let outcome = try tandem.run("get", "--suite", Self.suite, "k")
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
      let outcome = try tandem.run("put", "--suite", Self.suite, "k", "--type", type, value)
      #expect(outcome.status == 2)
      #expect(outcome.trouble.contains("is no \(type); give"), "\(outcome)")
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: root).isEmpty)
    }
  }

  @Test func `a store without keys and values says so`() throws {
    try Shop.with { shop throws in
      let outcome = try Tandem().run("put", "k", "v", "--in", shop.path)
      #expect(outcome.status == 2)
      #expect(outcome.trouble.contains("has no entity KeyValueEntry"), "\(outcome)")
    }
  }

  @Test func `a wrong group identifier is refused`() throws {
    let outcome = try Tandem().run("put", "k", "v", "--suite", "../x")
    #expect(outcome.status == 2)
    #expect(outcome.trouble.contains("is not a group identifier"), "\(outcome)")
  }

  @Test func `reading a suite leaves its data file as it was`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", "--suite", Self.suite, "name", "Ada")
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      let file = URL(fileURLWithPath: "\(root)/\(Self.suite)/KeyValues.store/data.mdb")
      let before = try Data(contentsOf: file)
      #expect(try tandem.run("get", "--suite", Self.suite, "name").output == "Ada\n")
      #expect(try tandem.run("list", "--suite", Self.suite).status == 0)
      #expect(try tandem.run("get", "--suite", Self.suite, "other").status == 1)
      #expect(try Data(contentsOf: file) == before)
    }
  }

  @Test func `the default suite of a device needs no name, and travels to another device`() throws {
    try withContainer { tandem throws in
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      for device in ["phone", "laptop"] {
        try FileManager.default.createDirectory(atPath: "\(root)/\(device)", withIntermediateDirectories: true)
      }
      #expect(try tandem.run("put", "theme", "dark", "--device", "\(root)/phone").status == 0)
      #expect(try tandem.run("sync", "\(root)/phone", "\(root)/laptop").status == 0)
      #expect(try tandem.run("get", "theme", "--device", "\(root)/laptop").output == "dark\n")
    }
  }

  @Test func `a device that is not there is refused, and not made`() throws {
    try withContainer { tandem throws in
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      for command in [["put", "k", "v"], ["get", "k"], ["suites"]] {
        let outcome = try tandem.run(arguments: command + ["--device", "\(root)/pohne"])
        #expect(outcome.status == 2)
        #expect(outcome.trouble.contains("there is no folder \(root)/pohne; make it"), "\(outcome)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: root).isEmpty)
    }
  }

  /// It was ignored without a word, and values landed in the home folder.
  @Test func `a relative container root counts from the working folder`() throws {
    try withContainer { tandem throws in
      var tandem = tandem
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      tandem.folder = URL(fileURLWithPath: root)
      tandem.environment["TANDEM_CONTAINER_ROOT"] = "here"
      #expect(try tandem.run("put", "theme", "dark").status == 0)
      #expect(FileManager.default.fileExists(atPath: "\(root)/here/suite.default/KeyValues.store/data.mdb"))
      #expect(try tandem.run("get", "theme").output == "dark\n")
    }
  }

  @Test func `several keys are set in one save and read in their order`() throws {
    try withContainer { tandem throws in
      #expect(try tandem.run("put", "b", "1", "a", "2", "window.width", "3", "--type", "integer").status == 0)
      #expect(try tandem.run("get", "a", "b").output == "2\n1\n")
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      let history = try tandem.run("history", "\(root)/suite.default/KeyValues.store")
      #expect(history.lines.count == 1, "\(history)")
      let some = try tandem.run("get", "a", "x", "b", "y")
      #expect(some.status == 1 && some.output == "2\n1\n", "\(some)")
      #expect(some.trouble.hasPrefix("tandem: default has no key 'x', 'y'; "))
    }
  }

  @Test(arguments: [
    (["a", "b", "c"], "no pairs"), (["a", "1", "a", "2"], "given twice"), (["", "x"], "at least one character"),
    (["a", "1", "b", "2", "--if-absent"], "take one key"), (["a", "1", "--if", "2", "--if-absent"], "exclude"),
    (["a", "1", "--expires", "soon"], "soon"), (["a", "1", "--if", "x", "--type", "integer"], "is no integer"),
  ])
  func `pairs that cannot be meant are refused`(words: [String], said: String) throws {
    try withContainer { tandem throws in
      let outcome = try tandem.run(arguments: ["put"] + words)
      #expect(outcome.status == 2)
      #expect(outcome.trouble.contains(said), "\(outcome)")
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: root).isEmpty)
    }
  }

  @Test func `a suite that was meant as one is not looked up as a key in silence`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", "theme", "dark", "--suite", Self.suite)
      try tandem.run("put", "theme", "light")
      let outcome = try tandem.run("get", Self.suite, "theme")
      #expect(outcome.status == 1)
      #expect(outcome.trouble.contains("a suite is named by --suite \(Self.suite)"), "\(outcome)")
    }
  }

  @Test func `a value comes from standard input as it is, less one line end`() throws {
    try withContainer { tandem throws in
      #expect(try tandem.run("put", "note", input: "one\ntwo\n\n").status == 0)
      let answer = try tandem.run("get", "note", "--json").output
      #expect(try JSON(parsing: answer)["value"] == .string("one\ntwo\n"))
      for (given, kept) in [("\u{FEFF}a\r\n", "\u{FEFF}a"), ("a\u{2028}", "a\u{2028}"), ("a\u{C}\n", "a\u{C}")] {
        #expect(try tandem.run("put", "note", input: given).status == 0)
        #expect(try JSON(parsing: tandem.run("get", "note", "--json").output)["value"] == .string(kept))
      }
      let picture = String(repeating: "QUJD", count: 19) + "\n" + "QUJD\n"
      #expect(try tandem.run("put", "picture", "--type", "data", input: picture).status == 0)
      #expect(try tandem.run("get", "picture").output == String(repeating: "QUJD", count: 20) + "\n")
    }
  }

  @Test func `a value is set only where the key holds what was expected`() throws {
    try withContainer { tandem throws in
      #expect(try tandem.run("put", "lock", "ada", "--if-absent").status == 0)
      let late = try tandem.run("put", "lock", "bob", "--if-absent")
      #expect(late.status == 1)
      #expect(late.trouble.contains("has another value for 'lock' than was expected"), "\(late)")
      #expect(try tandem.run("put", "lock", "bob", "--if", "bob").status == 1)
      #expect(try tandem.run("put", "lock", "bob", "--if", "ada").status == 0)
      #expect(try tandem.run("get", "lock").output == "bob\n")
    }
  }

  @Test func `numbers are added to, and nothing else is`() throws {
    try withContainer { tandem throws in
      #expect(try tandem.run("increment", "starts").output == "1\n")
      #expect(try tandem.run("increment", "starts", "--by", "-3").output == "-2\n")
      try tandem.run("put", "theme", "dark")
      let outcome = try tandem.run("increment", "theme")
      #expect(outcome.status == 2)
      #expect(outcome.trouble.contains("is no whole number; set one"), "\(outcome)")
      #expect(try tandem.run("get", "theme").output == "dark\n")
    }
  }

  @Test func `what has expired is absent, and is listed with its end before`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", "token", "t", "--expires", "2001-01-01T00:00:00Z")
      #expect(try tandem.run("get", "token").status == 1)
      try tandem.run("put", "token", "t", "--expires", "2101-01-01T00:00:00Z")
      #expect(try tandem.run("get", "token", "--json").output.contains("\"expires\":\"2101-01-01T00:00:00Z\""))
      #expect(try tandem.run("list").lines.first?.hasSuffix("expires") == true)
      try tandem.run("put", "old", "t", "--expires", "2001-01-01")
      #expect(try tandem.run("remove", "--expired", "--json").output == "{\"removed\":\"old\"}\n")
      #expect(try tandem.run("get", "token").output == "t\n")
    }
  }

  @Test func `keys are removed and listed by what they begin with`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", "window.width", "1", "window.height", "2", "theme", "dark")
      let list = try tandem.run("list", "--prefix", "window.", "--json")
      #expect(list.lines.count == 2, "\(list)")
      #expect(try tandem.run("remove", "--prefix", "window.", "--json").lines.count == 2)
      #expect(try tandem.run("list").lines.count == 2)
      let partly = try tandem.run("remove", "theme", "other")
      #expect(partly.status == 1 && partly.trouble.contains("no key 'other'"), "\(partly)")
      #expect(try tandem.run("list").lines.count == 1)
      #expect(try tandem.run("remove").status == 2)
      try tandem.run("put", "a", "1")
      #expect(try tandem.run("remove", "--all").status == 0)
      #expect(try tandem.run("list").lines.count == 1)
    }
  }

  @Test func `an export comes back as it was, kinds and ends of values too`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", "text", "é \"x\"")
      try tandem.run("put", "born", "2026-11-21", "--type", "date")
      try tandem.run("put", "list", "[1,{\"a\":true}]", "--type", "json")
      try tandem.run("put", "token", "t", "--expires", "2101-01-01")
      let export = try tandem.run("suites", "export").output
      #expect(try tandem.run("suites", "import", "--suite", "copy", input: export).output == "4 keys imported\n")
      #expect(try tandem.run("suites", "export", "--suite", "copy").output == export)

      try tandem.run("put", "more", "1", "--suite", "copy")
      try tandem.run("suites", "import", "--suite", "copy", "--replace", input: export)
      #expect(try tandem.run("suites", "export", "--suite", "copy").output == export)

      let plain = try tandem.run("suites", "export", "--plain")
      let expected =
        "{\"born\":\"2026-11-21T00:00:00Z\",\"list\":[1,{\"a\":true}],\"text\":\"é \\\"x\\\"\",\"token\":\"t\"}\n"
      #expect(plain.output == expected)
      #expect(
        try tandem.run("suites", "import", "--plain", "--suite", "plain", input: "{\"a\":1.5,\"b\":[]}").status == 0)
      #expect(try tandem.run("get", "a", "--suite", "plain").output == "1.5\n")
    }
  }

  @Test(arguments: [[], ["--plain"]], ["", "[1]", "{\"a\":null}", "{\"a\":{\"text\":1}", "{\"a\""])
  func `what is no export is refused, and makes no suite`(options: [String], text: String) throws {
    try withContainer { tandem throws in
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      try text.write(toFile: "\(root)/file", atomically: false, encoding: .utf8)
      let outcome = try tandem.run(arguments: ["suites", "import", "\(root)/file"] + options)
      #expect(outcome.status == 2)
      #expect(outcome.trouble.hasPrefix("tandem: \(root)/file is no "), "\(outcome)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: root) == ["file"])
    }
  }

  /// Bytes were replaced, and the digits of a large number were others.
  @Test func `a file that no values keep exactly is refused by the key, and makes no suite`() throws {
    try withContainer { tandem throws in
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      let name = Data(#"{"a":1,"name":["x"#.utf8) + [0xFF] + Data(#""]}"#.utf8)
      let key = Data("{\"".utf8) + [0xC3, 0x28] + Data("\":1}".utf8)
      for (data, words) in [
        (name, "the value of 'name' in \(root)/file is not UTF-8"), (key, "a key in \(root)/file is not UTF-8"),
        (
          Data(#"{"a":1,"n":{"b":[12345678901234567891]}}"#.utf8),
          "of 12345678901234567891, which \(root)/file gives 'n'"
        ),
        (Data(#"{"n":-9223372036854775809.5}"#.utf8), "all digits of -9223372036854775809.5"),
        (Data(#"{"a":1,"a":2}"#.utf8), "\(root)/file gives 'a' two values; remove one"),
        (Data(#"{"b":{"a":1,"a":2}}"#.utf8), "gives 'a' two values"),
      ] {
        try data.write(to: URL(fileURLWithPath: "\(root)/file"))
        let outcome = try tandem.run("suites", "import", "--plain", "\(root)/file")
        #expect(outcome.status == 2 && outcome.trouble.contains(words), "\(outcome)")
      }
      for data in [name, key, Data(#"{"a":{"integer":1},"a":{"integer":2}}"#.utf8)] {
        try data.write(to: URL(fileURLWithPath: "\(root)/file"))
        #expect(try tandem.run("suites", "import", "\(root)/file").status == 2)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: root) == ["file"])
      let large = try tandem.run("put", "n", "[12345678901234567891]", "--type", "json")
      #expect(large.status == 2 && large.trouble.contains("put the number between quotes"), "\(large)")
      let kept = #"{"a":9223372036854775807,"b":18446744073709551616,"c":1e+30,"d":0.1}"#
      #expect(try tandem.run("suites", "import", "--plain", input: kept).status == 0)
      #expect(try tandem.run("get", "a").output == "9223372036854775807\n")
      #expect(try tandem.run("get", "b").output == "1.8446744073709552e+19\n")
    }
  }

  @Test func `suites are listed, those beside models too`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", "a", "1", "b", "2")
      try tandem.run("put", "a", "1", "--suite", Self.suite)
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      try tandem.run(
        "put", "c", "1", "--suite", "beside", "--in", "\(root)/\(Self.suite)/KeyValues.store")
      let list = try tandem.run("suites")
      #expect(
        list.lines == [
          "suite                   keys  store",
          "beside                     1  group.org.example.keys/KeyValues.store",
          "default                    2  suite.default/KeyValues.store",
          "group.org.example.keys     1  group.org.example.keys/KeyValues.store",
        ], "\(list)")
    }
  }

  @Test func `a watch shows what is there, each change and what goes`() throws {
    try withContainer { tandem throws in
      try tandem.run("put", "theme", "dark", "size", "1")
      let watch = try tandem.start("watch", "theme")
      #expect(watch.line() == "theme = dark")
      try tandem.run("put", "size", "2")
      try tandem.run("put", "theme", "light")
      #expect(watch.line() == "theme = light")
      try tandem.run("remove", "theme")
      #expect(watch.line() == "theme is gone")
      #expect(watch.end(by: SIGINT) == 0)
    }
  }

  @Test func `a conflict names suite and key, whether the key is there or was removed`() throws {
    try withContainer { tandem throws in
      let root = try #require(tandem.environment["TANDEM_CONTAINER_ROOT"])
      let (phone, laptop) = ("\(root)/phone", "\(root)/laptop")
      for device in [phone, laptop] {
        try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: true)
      }
      try tandem.run("put", "theme", "dark", "--device", phone)
      try tandem.run("sync", phone, laptop)
      try tandem.run("put", "theme", String(repeating: "long ", count: 1000), "--device", phone)
      try tandem.run("put", "theme", "light", "--device", laptop)
      try tandem.run("sync", phone, laptop)
      let list = try tandem.run("conflicts", "list", phone)
      #expect(list.lines.count == 2 && list.lines[1].contains("  default theme  "), "\(list)")
      #expect(list.lines[1].contains("value = \"long long"), "\(list)")
      #expect(list.lines.allSatisfy { $0.count < 300 })
      let json = try JSON(parsing: try tandem.run("conflicts", "list", phone, "--json").output)
      #expect(json["suite"] == .string("default") && json["key"] == .string("theme"))
      #expect(json.description.count > 5000)
      let id = try #require(json["id"]?.stringValue)
      #expect(try tandem.run("conflicts", "show", phone, id).lines.contains("key      default theme"))

      try tandem.run("remove", "theme", "--device", phone)
      #expect(try tandem.run("conflicts", "list", phone).output.contains("  default theme  "))
      #expect(try tandem.run("conflicts", "restore", phone, id).output.hasPrefix("restored \(id) of default theme,"))
    }
  }
}
