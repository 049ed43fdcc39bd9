package import Foundation
import LMDB

/// Lets one process at a time create or migrate a store.
///
/// The lock file lies inside the store's directory, which must exist. Not reentrant.
package final class CreationLock: Sendable {
  private let store: URL
  private let mode: UInt16

  package init(store directory: URL, mode: UInt16 = 0o600) {
    store = directory
    self.mode = mode
  }

  /// Runs `body` while no other process creates or migrates the store. Blocks the calling thread for up to the
  /// timeout and throws `busy` then.
  ///
  /// A process that fails to create a store may remove its directory while it holds the lock. A process that waited for
  /// that lock starts again with the directory's new lock file, or gets `notFound`.
  package func withLock<Result>(timeoutSeconds: Double, _ body: () throws -> Result) throws -> Result {
    let deadline = ContinuousClock.now + Duration(clampingSeconds: timeoutSeconds)
    while true {
      let file = try LockFile(named: "creation.lock", store: store, mode: mode)
      guard try file.lock(timeoutSeconds: ContinuousClock.now.duration(to: deadline) / .seconds(1)) else {
        throw StoreError.busy(
          store: store.path, lastHolder: file.lastHolder, timeoutSeconds: timeoutSeconds, doing: "create or migrate")
      }
      defer { file.unlock() }
      if try file.isInPlace { return try body() }
    }
  }
}
