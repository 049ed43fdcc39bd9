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
    let notice = ChangeNotice(counter: counter &+ 1, transactionID: transactionID)
    // A pointer to memory of the stack, which costs nothing: each commit comes by here.
    let failure = withUnsafeTemporaryAllocation(byteCount: ChangeNotice.byteCount, alignment: 8) { room in
      var writer = ByteWriter(room)
      notice.write(to: &writer)
      return SmallFile.write(RawBytes(writer.written), to: descriptor)
    }
    if let failure {
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
    // A pointer as above.
    withUnsafeTemporaryAllocation(byteCount: ChangeNotice.byteCount, alignment: 8) { room in
      let count = pread(descriptor, room.baseAddress, room.count, 0)
      return count == room.count ? ChangeNotice(decoding: RawBytes(UnsafeRawBufferPointer(room))) : nil
    }
  }
}
