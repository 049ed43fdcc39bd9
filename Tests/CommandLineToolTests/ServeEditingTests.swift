import Foundation
import RecordStore
import StoreInspection
import TestSupport
import Testing

/// What the page of `tandem serve` writes beside records, and what its history knows of values.
@Suite(.timeLimit(.minutes(TestLength.minutesUntilHung))) struct ServeEditingTests {
  private let tandem = Tandem()

  /// A device with the suite `default`, whose key `theme` is `dark`.
  private func withSuite(_ body: (LivePageRun, _ device: String, _ store: JSON) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    #expect(try tandem.run("put", "theme", "dark", "--device", folder.path).status == 0)
    let page = try LivePageRun(folder.path, "--read-write")
    let store = try #require(try page.ask("stores")["stores"]?.arrayValue?.first?["path"])
    try body(page, folder.path, store)
  }

  private func question(_ store: JSON, _ key: String, _ more: KeyValuePairs<String, JSON> = [:]) -> JSON {
    let start: [JSON.Member] = [
      .init("store", store), .init("suite", .string("default")), .init("key", .string(key)),
    ]
    return .object(start + more.map { .init($0.key, $0.value) })
  }

  private func value(_ type: String, _ text: String) -> JSON { ["type": .string(type), "value": .string(text)] }

  @Test func `keys get values of each type, and each comes back as the text that puts it again`() throws {
    try withSuite { page, device, store throws in
      let values = [
        ("string", ""), ("string", "two\nlines"), ("bool", "true"), ("integer", "-42"), ("double", "1.5"),
        ("double", "inf"), ("date", "2026-11-21T08:30:00.25Z"), ("data", "AP8="), ("url", "https://example.org/a?b#c"),
        ("json", #"[1,"two",{"three":3.5}]"#),
      ]
      for (type, text) in values {
        let given: KeyValuePairs<String, JSON> = ["type": .string(type), "value": .string(text)]
        #expect(try page.ask("put", question(store, "key", given)) == ["put": .string("key")])
        let known = try page.ask("key", question(store, "key"))
        #expect(known["type"] == .string(type) && known["value"] == .string(text), "\(known)")
        #expect(known["expires"] == nil)
      }
      #expect(try tandem.run("get", "key", "--device", device).output == #"[1,"two",{"three":3.5}]"# + "\n")
      let ending: KeyValuePairs<String, JSON> = [
        "type": .string("string"), "value": .string("x"), "expires": .string("2090-01-31T17:05:00Z"),
      ]
      _ = try page.ask("put", question(store, "key", ending))
      #expect(try page.ask("key", question(store, "key"))["expires"] == .string("2090-01-31T17:05:00Z"))
      _ = try page.ask("remove", question(store, "key"))
      #expect(try tandem.run("get", "key", "--device", device).status == 1)
    }
  }

  @Test func `a key is put or removed only while it holds what the person saw`() throws {
    try withSuite { page, device, store throws in
      let light: KeyValuePairs<String, JSON> = [
        "type": .string("string"), "value": .string("light"), "expected": value("string", "dark"),
      ]
      _ = try page.ask("put", question(store, "theme", light))
      #expect(try page.refusal("put", question(store, "theme", light)).contains("has another value by now"))
      let new: KeyValuePairs<String, JSON> = [
        "type": .string("string"), "value": .string("blue"), "expected": .null,
      ]
      #expect(try page.refusal("put", question(store, "theme", new)).contains("has a key 'theme' already"))
      let stale: KeyValuePairs<String, JSON> = ["expected": value("string", "dark")]
      #expect(try page.refusal("remove", question(store, "theme", stale)).contains("has another value by now"))
      #expect(try tandem.run("get", "theme", "--device", device).output == "light\n")
      _ = try page.ask("remove", question(store, "theme", ["expected": value("string", "light")]))
      _ = try page.ask("put", question(store, "theme", new))
      #expect(try tandem.run("get", "theme", "--device", device).output == "blue\n")
    }
  }

  @Test func `values of the wrong type, unknown types and keys are refused by a sentence`() throws {
    try withSuite { page, device, store throws in
      let wrong: [(name: String, key: String, more: KeyValuePairs<String, JSON>, sentence: String)] = [
        ("put", "theme", ["type": .string("integer"), "value": .string("1.5")], "'1.5' is no integer; give a whole"),
        ("put", "theme", ["type": .string("json"), "value": .string("null")], "JSON without null"),
        ("put", "theme", ["type": .string("colour"), "value": .string("x")], "is no type of values; there are string"),
        ("put", "theme", ["type": .string("string")], "lacks 'value'"),
        ("put", "", ["type": .string("string"), "value": .string("x")], "lacks 'key'"),
        (
          "put", "theme", ["type": .string("string"), "value": .string("x"), "expires": .string("soon")],
          "'soon' is no end of a value"
        ),
        ("remove", "them", [:], "has no key 'them'"), ("key", "them", [:], "has no key 'them'"),
      ]
      for (name, key, more, sentence) in wrong {
        let answer = try page.refusal(name, question(store, key, more))
        #expect(answer.contains(sentence), "\(name) \(key) \(more): \(answer)")
      }
      #expect(try tandem.run("list", "--device", device, "--json").lines.count == 1)
      #expect(try tandem.run("get", "theme", "--device", device).output == "dark\n")
    }
  }

  @Test func `a store without room for keys says so, and how to get it`() throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path, "--read-write")
      #expect(try page.ask("suites", ["store": .string(shop.path)])["hasRoom"] == .bool(false))
      let put = question(.string(shop.path), "x", ["type": .string("string"), "value": .string("x")])
      #expect(try page.refusal("put", put).contains("open it once for writing by a ModelContainer"))
    }
  }

  @Test func `what lost is restored, wins on all devices, and bears the author`() throws {
    try Conflict.with { conflict throws in
      let page = try LivePageRun(conflict.phone, conflict.laptop, "--read-write", "--author", "eva")
      let store = try #require(try page.ask("stores")["stores"]?.arrayValue?.first?["path"])
      let list = try #require(try page.ask("conflicts", ["store": store])["conflicts"]?.arrayValue)
      let id = try #require(list.first?["id"])
      #expect(list.count == 1 && list[0]["sides"]?["fields"]?.arrayValue?.count == 1, "\(list)")
      let answer = try page.ask("restore", ["store": store, "id": id])
      #expect(answer["restored"] == id)
      #expect(try page.ask("conflicts", ["store": store])["conflicts"] == .array([]))
      let newest = try page.ask("history", ["store": store])["transactions"]?.arrayValue?.first
      #expect(newest?["author"]?.stringValue == "eva" && newest?["number"] == answer["transaction"])
      #expect(try page.refusal("restore", ["store": store, "id": id]).contains("there is no entry"))
      #expect(try tandem.run("get", "theme", "--device", conflict.phone).output == "light\n")
      try tandem.run("sync", conflict.phone, conflict.laptop)
      #expect(try tandem.run("get", "theme", "--device", conflict.laptop).output == "light\n")
    }
  }

  @Test func `history tells old and new values where they are known, and makes none up`() throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path, "--read-write")
      let (store, id) = (JSON.string(shop.path), JSON.string(Shop.bread.description))
      func prices() throws -> [[JSON?]] {
        var found: [[JSON?]] = []
        for entry in try page.ask("history", ["store": store])["transactions"]?.arrayValue ?? [] {
          for change in entry["changes"]?.arrayValue ?? [] where change["id"] == id {
            for value in change["values"]?.arrayValue ?? [] where value["field"]?.stringValue == "price" {
              found.append([value["old"], value["new"]])
            }
          }
        }
        return found
      }
      func edit(_ price: String) throws {
        let outcome = try tandem.run("edit", shop.path, Shop.bread.description, "price=\(price)")
        #expect(outcome.status == 0, "\(outcome)")
      }
      // Nothing keeps what these were and became, but the record knows when it was last written.
      try edit("4")
      #expect(try prices() == [[nil, .string("4")]])
      try edit("5")
      #expect(try prices() == [[nil, .string("5")], [nil, nil]])
      // An edit of the page is kept, and so tells of the one before and of the one after.
      _ = try page.ask("edit", ["store": store, "id": id, "fields": ["price": .string("6")]])
      try edit("7")
      try edit("8")
      #expect(
        try prices() == [
          [nil, .string("8")], [.string("6"), nil], [.string("5"), .string("6")], [nil, .string("5")], [nil, nil],
        ])
    }
  }
}
