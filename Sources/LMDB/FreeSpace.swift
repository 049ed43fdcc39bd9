import CLMDB

/// What the file system has left for an unprivileged process.
struct FreeSpace {
  var availableBytes: UInt64
  /// A short write stops within the last blocks; others may free a few before the question is asked.
  static let exhaustedBelowBytes: UInt64 = 1 << 20

  var isExhausted: Bool { availableBytes < Self.exhaustedBelowBytes }

  init(availableBytes: UInt64) { self.availableBytes = availableBytes }

  /// Nil when the file system does not answer.
  init?(at path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    availableBytes = UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }
}
