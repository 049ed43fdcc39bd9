package import Foundation
import LMDB

/// The store's `notify` file: one small write after each commit wakes all that watch it.
///
/// Not flushed to the device: after a power cut there is nobody left to tell.
package final class ChangeNoticeFile: Sendable {
  package static let name = "notify"

  package let path: String
  private let descriptor: Int32

  /// Creates the file if it is missing.
  package init(store directory: URL, mode: UInt16 = 0o600) throws {
    path = Self.path(store: directory)
    let data = directory.appendingPathComponent("data.mdb").path
    descriptor = FileRights.open(path, mode: UInt32(mode), beside: data).descriptor
    if descriptor < 0 { throw StoreError(systemError: errno, doing: "open the change notice", path: path) }
  }

  deinit { close(descriptor) }

  package static func path(store directory: URL) -> String { directory.appendingPathComponent(name).path }

  /// Tells the watchers. Called after a commit, before the writer lock is released, which keeps counters in order.
  ///
  /// An error is not the save's: that has been committed, and watchers find it within a second.
  package func post(transactionID: UInt64) throws {
    let counter = Self.read(descriptor)?.counter ?? 0
    let bytes = ChangeNotice(counter: counter &+ 1, transactionID: transactionID).bytes
    if let failure = SmallFile.write(bytes, to: descriptor) {
      throw StoreError(systemError: failure, doing: "write the change notice", path: path)
    }
  }

  /// The notice as it is now; nil when there is no file, or none that can be understood.
  package static func read(path: String) -> ChangeNotice? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    return read(descriptor)
  }

  private static func read(_ descriptor: Int32) -> ChangeNotice? {
    var bytes = [UInt8](repeating: 0, count: ChangeNotice.byteCount)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return count == bytes.count ? ChangeNotice(bytes: bytes) : nil
  }
}
