import Foundation
import LocalizedTexts

/// An exclusive lock on a file, across processes; the system releases it when a process ends, however that comes.
struct FileLock {
  private let descriptor: Int32

  /// Waits until the lock is free.
  init(_ url: URL) throws {
    descriptor = open(url.path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      throw SubscriptionError(.unreadableFile, Sentence(.noteUnwritable, .text(url.path)))
    }
  }

  func release() { close(descriptor) }
}
