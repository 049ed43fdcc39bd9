import Foundation
import Tandem
import Testing

enum Theme: String, KeyValueConvertible { case light, dark }

struct Window: KeyValueConvertible {
  var columns: Int
  var keyValue: KeyValue { .integer(columns) }
  init?(keyValue: KeyValue) {
    guard let columns = keyValue.integerValue, columns > 0 else { return nil }
    self.columns = columns
  }
}

struct Preferences {
  @Stored("theme") var theme = "light"
  @Stored("window.columns", suite: "group.org.example.books") var columns = 2
}

/// The code in the comments of settings.
struct KeyValueExampleTests {
  private func withSettings(_ body: (KeyValueStore) async throws -> Void) async throws {
    try await withContainer(for: Receipt.self) { container in
      try await body(try KeyValueStore(suiteName: "settings", container: container))
    }
  }

  @Test func `types of an app's own are values`() async throws {
    try await withSettings { settings in
      try settings.set(Theme.dark, forKey: "theme")
      try settings.set(0, forKey: "columns")
      #expect(try settings.string(forKey: "theme") == "dark")
      #expect(settings["theme", default: Theme.light] == .dark)
      #expect(try settings.value(forKey: "columns").flatMap { Window(keyValue: $0) } == nil)
    }
  }

  @Test func `a suite, a typed key and several changes at once`() async throws {
    try await withSettings { settings in
      let currency = StoredKey("currency", default: "EUR")
      try settings.set("CHF", for: currency)
      print(settings[currency])
      #expect(try settings.value(for: currency) == "CHF")

      func resetWindow(_ edit: inout KeyValueEdit) {
        edit.removeAll(prefix: "window.")
        edit.set(2, forKey: "window.columns")
      }
      try settings.transaction(resetWindow)  // one save
      #expect(try settings.dictionaryRepresentation(prefix: "window.") == ["window.columns": 2])
    }
  }

  @Test func `changes are followed, and say where they were made`() async throws {
    try await withSettings { settings in
      let changes = settings.changes
      var shown: [String] = []
      func show(_ line: String) { shown.append(line) }

      func tell(_ change: KeyValueChange) {
        let keys = change.keys.sorted().joined(separator: ", ")
        if change.origin == .anotherDevice { show("\(keys): changed on another device") }
        if !change.isExternal { show("\(keys): changed here") }
      }
      try settings.set(true, forKey: "showsTotals")
      var iterator = changes.makeAsyncIterator()
      tell(try #require(await iterator.next()))
      #expect(shown == ["showsTotals: changed here"])
    }
  }

  @Test func `a suite of a group is opened by its name`() async throws {
    try await withFolder { folder in
      let following = try ModelConfiguration.$containerRoot.withValue(folder) {
        let settings = try KeyValueStore(suiteName: "group.org.example.app")
        try settings.set(true, forKey: "showsTotals")
        let following = Task {
          for await change in settings.changes { print(change.keys) }
        }
        #expect(try settings.bool(forKey: "showsTotals"))
        return following
      }
      following.cancel()
      await following.value
    }
  }

  @Test func `the value behind a property throws, is removed and is followed`() async throws {
    try await withSettings { settings in
      struct Preferences {
        @Stored var theme: String
        init(_ settings: KeyValueStore) { _theme = Stored(StoredKey("theme", default: "light"), in: settings) }
      }
      let preferences = Preferences(settings)

      let theme: StoredValue<String> = preferences.$theme
      try theme.set("dark")  // throws where `theme = "dark"` cannot
      for await value in try theme.values {
        print(value)
        if value == "dark" { break }
      }
      try theme.remove()
      #expect(preferences.theme == "light")
    }
  }
}
