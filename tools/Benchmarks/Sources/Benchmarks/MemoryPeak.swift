import Foundation
import Synchronization

/// The most memory of its own that this process has until ``end()``, looked at two hundred times a second: the kernel
/// keeps the peak of all pages, and those of mapped files are among them.
final class MemoryPeak: Sendable {
  private let peak = Mutex(0)
  private let isOver = Atomic(false)
  private let failure = FailureBox()

  init() {
    let thread = Thread { [self] in
      while !isOver.load(ordering: .acquiring) {
        look()
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
    thread.start()
  }

  /// In bytes.
  func end() throws -> Int {
    look()
    isOver.store(true, ordering: .releasing)
    try failure.rethrow()
    return peak.withLock { $0 }
  }

  private func look() {
    do {
      let now = try ProcessMemory.bytes("RssAnon:")
      peak.withLock { $0 = max($0, now) }
    } catch {
      failure.note(error)
    }
  }
}
