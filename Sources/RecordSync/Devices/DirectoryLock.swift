package import Foundation

/// Keeps a second synchronisation, or a second change of keys, away from a directory, between processes and within one.
///
/// A lock on the directory itself: it leaves no file behind, and the kernel drops it when the holder dies.
package final class DirectoryLock: Sendable {
  private let descriptor: Int32

  /// Waits up to the timeout, then throws `busy`; a task that is cancelled waits no longer. Blocks the
  /// thread; never call it on a shared one. `work`: what the lock is for, in the sentence of that error.
  init(_ directory: URL, timeoutSeconds: Double, for work: String = "synchronisation") throws {
    descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // From here on whatever is thrown ends the object, which closes the descriptor: once, for a second time would
    // close somebody else's.
    guard descriptor >= 0 else { throw DurableFile.failure("open", directory) }
    // By a clock that nobody sets: one that is set back would make it wait for as long as that.
    let begun = ContinuousClock.now
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw DurableFile.failure("lock", directory)
      }
      guard begun.duration(to: .now) / .seconds(1) < timeoutSeconds else {
        throw SyncError(
          .busy, "another \(work) of \(directory.path) is running; wait until it has ended and try again")
      }
      try Task.checkCancellation()
      usleep(20_000)
    }
  }

  deinit { close(descriptor) }

  /// Runs `body`, which reads and writes files of keys or families in a folder, while no other process does: what one
  /// writes stands on what it has read.
  ///
  /// - Throws: What `body` throws, and ``SyncError`` `busy` and `inputOutput`.
  package static func changingKeys<Result>(in folder: URL, _ body: () throws -> Result) throws -> Result {
    try DurableFile.createFolder(folder)
    let lock = try DirectoryLock(folder, timeoutSeconds: 30, for: "change of keys")
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }
}
