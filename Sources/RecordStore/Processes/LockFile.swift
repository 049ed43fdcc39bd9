import Foundation
import LMDB

/// A file whose only use is to be locked: between processes, and between handles of one process.
///
/// The locks are open-file-description locks: they belong to this descriptor, so closing another one of the
/// same file does not drop them, and the kernel releases them when the holder dies. Waiting has a time limit,
/// which the kernel's own wait lacks.
///
/// Layout: byte 0 is the lock, byte 1 the turn. A process takes the turn first and keeps it until it has the
/// lock. So a process that saves in a loop cannot overtake one that waits. Bytes 8 to 15 name the last holder.
final class LockFile: Sendable {
  private static let lockByte: off_t = 0
  private static let turnByte: off_t = 1
  private static let holderOffset: off_t = 8

  let path: String
  private let descriptor: Int32

  /// Creates the file if it is missing. Throws `permissionDenied`, `readOnlyFileSystem`, `diskFull`, `inputOutput`.
  init(named name: String, store directory: URL, mode: UInt16) throws {
    path = directory.appendingPathComponent(name).path
    let data = directory.appendingPathComponent("data.mdb").path
    descriptor = FileRights.open(path, mode: UInt32(mode), beside: data).descriptor
    if descriptor < 0 { throw StoreError(systemError: errno, doing: "open the lock file", path: path) }
  }

  deinit { close(descriptor) }

  /// Takes the lock, or returns false when the time is up. Blocks the thread; never call it on a shared one.
  func lock(timeoutSeconds: Double) throws -> Bool {
    let deadline = ContinuousClock.now + Duration(clampingSeconds: timeoutSeconds)
    // Only one process at a time has the turn, so its looking often costs little and shortens every hand-over.
    var patienceForTurn = Patience(until: deadline, longestPauseSeconds: 0.002)
    var patienceForLock = Patience(until: deadline, longestPauseSeconds: 0.000_2)
    guard try wait(for: Self.turnByte, &patienceForTurn) else { return false }
    defer { set(Int16(F_UNLCK), at: Self.turnByte) }
    guard try wait(for: Self.lockByte, &patienceForLock) else { return false }
    noteHolder()
    return true
  }

  /// Whether the path still leads to this file; a lock on one that was removed excludes nobody.
  var isInPlace: Bool {
    get throws {
      var (own, found) = (stat(), stat())
      guard fstat(descriptor, &own) == 0, stat(path, &found) == 0 else {
        if errno == ENOENT { return false }
        throw StoreError(systemError: errno, doing: "look", path: path)
      }
      return own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }
  }

  func unlock() { set(Int16(F_UNLCK), at: Self.lockByte) }

  /// The process that took the lock last; a guess for messages, since it may have ended.
  var lastHolder: Int32? {
    var holder: Int64 = 0
    guard pread(descriptor, &holder, 8, Self.holderOffset) == 8 else { return nil }
    return Int32(truncatingIfNeeded: Int64(littleEndian: holder))
  }

  /// Written only when it changes: a process that saves alone leaves the file clean. Failing is harmless.
  private func noteHolder() {
    let own = getpid()
    if lastHolder == own { return }
    var holder = Int64(own).littleEndian
    _ = pwrite(descriptor, &holder, 8, Self.holderOffset)
  }

  private func wait(for byte: off_t, _ patience: inout Patience) throws -> Bool {
    while true {
      let code = set(Int16(F_WRLCK), at: byte)
      if code == 0 { return true }
      guard [EAGAIN, EACCES, EINTR].contains(code) else {
        throw StoreError(systemError: code, doing: "lock", path: path)
      }
      if !patience.pause() { return false }
    }
  }

  /// Returns zero or the system's error.
  @discardableResult
  private func set(_ type: Int16, at byte: off_t) -> Int32 {
    var range = flock()
    range.l_type = type
    range.l_whence = Int16(SEEK_SET)
    range.l_start = byte
    range.l_len = 1
    return fcntl(descriptor, openFileDescriptionSetLock, &range) == 0 ? 0 : errno
  }
}
