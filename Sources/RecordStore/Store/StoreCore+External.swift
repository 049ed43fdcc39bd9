import Foundation
import Synchronization

// When files of large values are cleared away.
extension StoreCore {
  /// From so many placed bytes on a look is worth its cost.
  private static let leastByteCount = 64 << 20

  /// Takes note of bytes that a save has placed. When they are as many as there were, it looks in the background for
  /// values that nobody names: so a byte that is written costs at most one that is looked through.
  func notePlaced(_ byteCount: Int, _ store: RecordStore) {
    let isDue = placed.withLock { placed in
      placed.since += byteCount
      guard placed.since >= max(Self.leastByteCount, placed.named) else { return false }
      placed.since = 0
      return true
    }
    guard isDue else { return }
    DispatchQueue.global(qos: .utility).async {
      do {
        let found = try store.collectExternalValues()
        store.core.placed.withLock { $0.named = found.namedByteCount }
      } catch {
        // Nothing is lost: a later save looks again.
        return
      }
    }
  }
}
