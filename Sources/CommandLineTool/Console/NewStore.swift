import Foundation
import RecordStore

/// A store that appears under its name only when it is complete.
final class NewStore: Sendable {
  private let url: URL
  private let item: PartialItem

  /// Makes nothing yet. `remedy` says what else to do where something is there already.
  init(path: String, remedy: String = "name a new store") throws {
    url = URL(fileURLWithPath: path, isDirectory: true)
    if try FileItem.isTaken(URL(fileURLWithPath: path, isDirectory: false)) {
      throw CommandFailure("\(path) is there already; \(remedy)")
    }
    if let store = FileItem.store(around: url) {
      throw CommandFailure("\(path) lies in the store at \(store.path); name a place outside of it")
    }
    let parent = url.deletingLastPathComponent()
    guard FileManager.default.isWritableFile(atPath: parent.path) else {
      throw CommandFailure("cannot create \(path); check that its folder exists and may be written to")
    }
    item = PartialItem(for: url)
  }

  /// Removes what other processes have begun that ended in the middle of it.
  static func discardAbandoned(of path: String) {
    PartialItem.removeAbandoned(for: URL(fileURLWithPath: path, isDirectory: true))
  }

  /// Lets `body` make the store in an empty folder, and close it; then it gets its name, unless it is not kept. If
  /// anything throws, nothing is left.
  ///
  /// The folder lies beside the store's place, so that a rename within one file system puts it there.
  func fill<Result>(isKept: Bool = true, _ body: (URL) throws -> Result) throws -> Result {
    do {
      try item.makeFolder()
      let result = try body(item.url)
      if isKept { try finish() } else { discard() }
      return result
    } catch {
      discard()
      throw error
    }
  }

  private func finish() throws {
    do {
      try FileManager.default.moveItem(at: item.url, to: url)
    } catch {
      throw CommandFailure(
        "cannot move the finished store to \(url.path): \(error.systemReason); name a new store in a folder that may "
          + "be written to")
    }
    // Else a power cut may take the name of a store back that was said to be there.
    try Directory.flushName(of: url)
  }

  /// Leaves nothing behind.
  func discard() {
    if !item.discard() { Console.standard.tell("\(item.url.path) could not be removed; remove it by hand") }
  }
}
