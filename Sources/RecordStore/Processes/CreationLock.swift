package import Foundation

/// Lets one process at a time create or migrate a store.
///
/// The lock file lies inside the store's directory, which must exist. Not reentrant.
package final class CreationLock: Sendable {
  private let file: LockFile
  private let store: String

  package init(store directory: URL, mode: UInt16 = 0o600) throws {
    store = directory.path
    file = try LockFile(path: directory.appendingPathComponent("creation.lock").path, mode: mode_t(mode))
  }

  /// Runs `body` while no other process creates or migrates the store. Blocks the calling thread for up to the
  /// timeout and throws `busy` then.
  package func withLock<Result>(timeoutSeconds: Double, _ body: () throws -> Result) throws -> Result {
    guard try file.lock(timeoutSeconds: timeoutSeconds) else {
      throw StoreError.busy(
        store: store, lastHolder: file.lastHolder, timeoutSeconds: timeoutSeconds, doing: "create or migrate")
    }
    defer { file.unlock() }
    return try body()
  }
}
