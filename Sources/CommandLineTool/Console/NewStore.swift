import Foundation
import RecordStore

/// A store that appears under its name only when it is complete.
final class NewStore: Sendable {
  private let url: URL
  /// Where it is built: beside its place, so that a rename within one file system puts it there.
  let partial: URL

  /// `remedy` says what else to do where something is there already.
  init(path: String, remedy: String = "name a new store") throws {
    url = URL(fileURLWithPath: path, isDirectory: true)
    if FileManager.default.fileExists(atPath: url.path) {
      throw CommandFailure("\(path) is there already; \(remedy)")
    }
    let parent = url.deletingLastPathComponent()
    guard FileManager.default.isWritableFile(atPath: parent.path) else {
      throw CommandFailure("cannot create \(path); check that its folder exists and may be written to")
    }
    partial = NewStore.partial(of: url, processID: ProcessInfo.processInfo.processIdentifier)
  }

  private static func partial(of url: URL, processID: Int32) -> URL {
    url.deletingLastPathComponent().appendingPathComponent(
      ".\(url.lastPathComponent).\(processID).partial", isDirectory: true)
  }

  /// Removes what another process has begun that ended in the middle of it.
  static func discardPartial(of path: String, processID: Int32) {
    discard(partial(of: URL(fileURLWithPath: path, isDirectory: true), processID: processID))
  }

  /// Gives the finished store its name. The store must not be open any more.
  func finish() throws {
    do {
      try FileManager.default.moveItem(at: partial, to: url)
    } catch {
      throw CommandFailure(
        "cannot move the finished store to \(url.path): \(error.systemReason); name a new store in a folder that may "
          + "be written to")
    }
    // Else a power cut may take the name of a store back that was said to be there.
    try Directory.flush(url.deletingLastPathComponent())
  }

  /// Leaves nothing behind.
  func discard() { NewStore.discard(partial) }

  private static func discard(_ partial: URL) {
    // An interrupted creation goes on meanwhile, and what it adds keeps a folder from being removed: again then.
    for _ in 0..<100 {
      guard FileManager.default.fileExists(atPath: partial.path) else { return }
      do { try FileManager.default.removeItem(at: partial) } catch { usleep(1000) }
    }
    Console.standard.note("tandem: \(partial.path) could not be removed; remove it by hand")
  }
}
