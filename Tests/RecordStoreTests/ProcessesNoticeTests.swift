import Foundation
import HelperProcess
import LMDB
import RecordStore
import Synchronization
import Testing

struct ProcessesNoticeTests {
  /// What a watcher has said, to be waited for.
  private final class Received: Sendable {
    private let notices = Mutex<[ChangeNotice]>([])
    private let arrived = DispatchSemaphore(value: 0)

    var all: [ChangeNotice] { notices.withLock { $0 } }

    func add(_ notice: ChangeNotice) {
      notices.withLock { $0.append(notice) }
      arrived.signal()
    }

    /// Waits for a notice of this transaction; false after a time that only a fault needs.
    func waits(for transactionID: UInt64) -> Bool {
      while !all.contains(where: { $0.transactionID == transactionID }) {
        if arrived.wait(timeout: .now() + 20) == .timedOut { return false }
      }
      return true
    }
  }

  @Test func `a notice of another process arrives`() throws {
    try withEmptyDirectory { directory in
      let received = Received()
      let watcher = try ChangeNoticeWatcher(store: directory) { received.add($0) }
      let helper = try HelperProcess("post-notice", directory.path)
      for transactionID: UInt64 in [7, 8, 9] {
        try helper.send("\(transactionID)")
        try helper.expect("posted")
        #expect(received.waits(for: transactionID))
      }
      watcher.stop()
      #expect(received.all.map(\.counter) == received.all.map(\.counter).sorted())
      #expect(try helper.finish() == 0)
    }
  }

  @Test func `the watcher survives that the file is replaced or removed`() throws {
    try withEmptyDirectory { directory in
      let received = Received()
      let first = try ChangeNoticeFile(store: directory)
      let watcher = try ChangeNoticeWatcher(store: directory) { received.add($0) }
      try first.post(transactionID: 1)
      #expect(received.waits(for: 1))

      let other = directory.appendingPathComponent("other")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
      let replacement = try ChangeNoticeFile(store: other)
      #expect(rename(replacement.path, first.path) == 0)
      try replacement.post(transactionID: 2)
      #expect(received.waits(for: 2))

      try FileManager.default.removeItem(atPath: first.path)
      try ChangeNoticeFile(store: directory).post(transactionID: 3)
      #expect(received.waits(for: 3))
      watcher.stop()
    }
  }

  @Test func `many notices at once become few, and the last is never lost`() throws {
    try withEmptyDirectory { directory in
      let received = Received()
      let file = try ChangeNoticeFile(store: directory)
      let watcher = try ChangeNoticeWatcher(store: directory) { received.add($0) }
      for transactionID: UInt64 in 1...1000 { try file.post(transactionID: transactionID) }
      #expect(received.waits(for: 1000))
      watcher.stop()
      #expect(received.all.count <= 1000)
      #expect(received.all.map(\.transactionID) == received.all.map(\.transactionID).sorted())
    }
  }

  @Test func `a commit whose writer died before its notice is found all the same`() throws {
    try withEmptyDirectory { directory in
      let received = Received()
      let transactionID = Mutex<UInt64>(3)
      let watcher = try ChangeNoticeWatcher(store: directory, transactionID: { transactionID.withLock { $0 } }) {
        received.add($0)
      }
      transactionID.withLock { $0 = 4 }
      #expect(received.waits(for: 4))
      try ChangeNoticeFile(store: directory).post(transactionID: 5)
      #expect(received.waits(for: 5))
      watcher.stop()
      #expect(received.all.map(\.transactionID) == [4, 5])
    }
  }

  @Test func `a commit that the store itself has is told once, whenever its notice comes`() throws {
    try withEmptyDirectory { directory in
      let received = Received()
      let transactionID = Mutex<UInt64>(3)
      let file = try ChangeNoticeFile(store: directory)
      let watcher = try ChangeNoticeWatcher(store: directory, transactionID: { transactionID.withLock { $0 } }) {
        received.add($0)
      }
      for number: UInt64 in 4...200 {
        transactionID.withLock { $0 = number }
        try file.post(transactionID: number % 2 == 0 ? number : number - 1)
        #expect(received.waits(for: number))
      }
      watcher.stop()
      #expect(received.all.map(\.transactionID) == Array(4...200))
    }
  }

  @Test func `nothing is reported after stop has returned`() throws {
    try withEmptyDirectory { directory in
      let received = Received()
      let file = try ChangeNoticeFile(store: directory)
      let stopped = try ChangeNoticeWatcher(store: directory) { received.add($0) }
      stopped.stop()
      stopped.stop()

      let control = Received()
      let watcher = try ChangeNoticeWatcher(store: directory) { control.add($0) }
      try file.post(transactionID: 5)
      #expect(control.waits(for: 5))
      watcher.stop()
      #expect(received.all.isEmpty)
    }
  }

  @Test func `a watcher can be stopped by its own closure, and keeps its owner not alive`() throws {
    final class Owner: Sendable {
      let watcher = Mutex<ChangeNoticeWatcher?>(nil)
      let onEnd: @Sendable () -> Void
      init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
      deinit { onEnd() }
    }
    try withEmptyDirectory { directory in
      let ended = DispatchSemaphore(value: 0)
      let called = DispatchSemaphore(value: 0)
      let file = try ChangeNoticeFile(store: directory)
      do {
        let owner = Owner { ended.signal() }
        let watcher = try ChangeNoticeWatcher(store: directory) { [weak owner] _ in
          owner?.watcher.withLock { $0?.stop() }
          called.signal()
        }
        owner.watcher.withLock { $0 = watcher }
        try file.post(transactionID: 1)
        #expect(called.wait(timeout: .now() + 20) == .success)
      }
      #expect(ended.wait(timeout: .now() + 20) == .success)
    }
  }

  @Test func `a notice keeps its layout`() {
    let notice = ChangeNotice(counter: 0x0102, transactionID: 0x0304)
    let bytes = bytes(of: notice)
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(
      hex == "54414e44454d434e" + "0100000000000000" + "0201000000000000" + "0403000000000000" + "0e3aebc11ba4f580")
    #expect(bytes.count == ChangeNotice.byteCount)
    #expect(self.notice(bytes) == notice)
  }

  @Test func `a cut or altered notice is not believed`() {
    let bytes = bytes(of: ChangeNotice(counter: 3, transactionID: 4))
    for count in 0..<bytes.count { #expect(notice(Array(bytes[..<count])) == nil) }
    for index in bytes.indices {
      var altered = bytes
      altered[index] ^= 0x10
      #expect(notice(altered) == nil)
    }
  }

  private func bytes(of notice: ChangeNotice) -> [UInt8] {
    [UInt8](byteCount: ChangeNotice.byteCount) { notice.write(to: &$0) }
  }

  private func notice(_ bytes: [UInt8]) -> ChangeNotice? { bytes.withRawBytes { ChangeNotice(decoding: $0) } }
}
