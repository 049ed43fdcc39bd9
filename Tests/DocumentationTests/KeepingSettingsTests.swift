import Foundation
import HelperProcess
import Tandem
import Testing

private struct Layout: Codable, Equatable {
  var columns: Int
  var isCompact: Bool
}

/// The code of the article KeepingSettings. Its first lines run in `key-value-test-helper`: only the environment
/// of a process says where its groups lie.
struct KeepingSettingsTests {
  @Test func `a suite of its own lies in the group's folder`() async throws {
    try await withFolder { folder in
      let helper = try HelperProcess(
        arguments: ["tour"], environment: ["TANDEM_CONTAINER_ROOT": folder.path], program: "key-value-test-helper")
      try helper.expect("false EUR")
      try helper.expect("dark 3 ada")
      #expect(try helper.finish() == 0)
      let store = folder.appending(path: "group.org.example.books/KeyValues.store/data.mdb")
      #expect(FileManager.default.fileExists(atPath: store.path))
    }
  }

  private func changeByWhatIsThere(_ settings: KeyValueStore) throws {
    let starts = try settings.increment("starts")
    let isMine = try settings.compareAndSet("editor", expecting: nil, to: "phone")
    try settings.update("recent") { recent in .array((recent.flatMap { [KeyValue](keyValue: $0) } ?? []) + ["Bakery"]) }
    #expect(try starts == 1 && isMine && settings.array(forKey: "recent") == ["Bakery"])

    let device = "phone"
    try settings.increment("starts.\(device)")
    let parts = try settings.dictionaryRepresentation(prefix: "starts.").values
    let allStarts = parts.compactMap(\.integerValue).reduce(0, +)
    #expect(allStarts == 1)

    try settings.set("4711", forKey: "code", expiresAt: .now + 600)
    #expect(try settings.expiry(forKey: "code") != nil)
  }

  @Test func `settings beside models behave as the article tells`() async throws {
    try await withContainer(for: Expense.self) { container in
      let settings = try KeyValueStore(suiteName: "org.example.books", container: container)
      var reloaded: Set<String> = []
      func reload(_ keys: Set<String>) { reloaded.formUnion(keys) }
      let following = settings.changes

      try settings.set(encoding: Layout(columns: 3, isCompact: true), forKey: "layout")
      let layout = try settings.decode(Layout.self, forKey: "layout")
      #expect(layout == Layout(columns: 3, isCompact: true))

      let currency = StoredKey("currency", default: "EUR")
      try settings.set("CHF", for: currency)
      let shown = settings[currency]
      let rounding = settings["rounding", default: 0.05]
      #expect(shown == "CHF" && rounding == 0.05)

      try settings.set(3, forKey: "window.width")
      try settings.transaction { edit in
        edit.set("CHF", forKey: "currency")
        edit.removeObject(forKey: "showsTotals")
      }
      try settings.removeAll(prefix: "window.")
      #expect(try settings.dictionaryRepresentation(prefix: "window.").isEmpty)
      try changeByWhatIsThere(settings)
      #expect(try settings.string(forKey: "currency") == "CHF")
      var iterator = following.makeAsyncIterator()
      #expect(await iterator.next()?.keys == ["layout"])

      // A stream that began after the last change, and whose task is cancelled: it shows that the line ends.
      let endless = Task {
        var ended: Set<String> = []
        func reload(_ keys: Set<String>) { ended.formUnion(keys) }
        for await change in settings.changes where change.origin == .anotherDevice { reload(change.keys) }
        func show(_ theme: String) { ended.insert(theme) }
        for await value in settings.values(forKey: "theme") { show(value?.stringValue ?? "light") }
        return ended
      }
      endless.cancel()
      #expect(await endless.value.isEmpty)
    }
  }
}
