package import Foundation

/// The store's own lock in front of LMDB's, which waits without a limit.
///
/// Taken by the thread that writes around each LMDB write transaction. A process that is killed with the lock held
/// loses it at once.
package final class WriterLock: Sendable {
  private let file: LockFile
  private let store: String

  /// - Parameter mode: permission bits of the lock file when it is created.
  package init(store directory: URL, mode: UInt16 = 0o600) throws {
    store = directory.path
    file = try LockFile(named: "writer.lock", store: directory, mode: mode)
  }

  /// Runs `body` with the lock held. Blocks the calling thread for up to the timeout; throws `busy` then.
  package func withLock<Result>(timeoutSeconds: Double, _ body: () throws -> Result) throws -> Result {
    try acquire(timeoutSeconds: timeoutSeconds)
    defer { release() }
    return try body()
  }

  package func acquire(timeoutSeconds: Double, doing action: String = "save in") throws {
    if try file.lock(timeoutSeconds: timeoutSeconds) { return }
    throw StoreError.busy(store: store, lastHolder: file.lastHolder, timeoutSeconds: timeoutSeconds, doing: action)
  }

  package func release() { file.unlock() }
}

extension StoreError {
  static func busy(store: String, lastHolder: Int32?, timeoutSeconds: Double, doing action: String) -> StoreError {
    let holder = lastHolder.map { "another process (last seen: process \($0))" } ?? "another process"
    return StoreError(
      .busy,
      "cannot \(action) the store at \(store): \(holder) has kept it locked for more than "
        + "\(timeoutSeconds.formatted()) s; try again, or end that process")
  }
}
