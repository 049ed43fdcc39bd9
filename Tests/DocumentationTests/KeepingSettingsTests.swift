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
      #expect(try helper.finish() == 0)
      let store = folder.appending(path: "group.org.example.books/KeyValues.store/data.mdb")
      #expect(FileManager.default.fileExists(atPath: store.path))
    }
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

      try settings.transaction { edit in
        edit.set("CHF", forKey: "currency")
        edit.removeObject(forKey: "showsTotals")
      }
      let starts = try settings.update("starts") { .integer(($0?.integerValue ?? 0) + 1) }
      #expect(starts == 1)
      #expect(try settings.string(forKey: "currency") == "CHF")
      var iterator = following.makeAsyncIterator()
      #expect(await iterator.next()?.keys == ["layout"])

      // A stream that began after the last change, and whose task is cancelled: it shows that the line ends.
      let endless = Task {
        var ended: Set<String> = []
        func reload(_ keys: Set<String>) { ended.formUnion(keys) }
        for await change in settings.changes where change.isExternal { reload(change.keys) }
        return ended
      }
      endless.cancel()
      #expect(await endless.value.isEmpty)
    }
  }
}
