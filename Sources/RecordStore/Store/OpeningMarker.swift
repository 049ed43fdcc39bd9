import Foundation

/// Remembers attempts to open a store that ended with the process: a page that is damaged in the right place kills
/// whoever maps it, and an app that opens its store at the start would never get to say so.
///
/// The file `opening` lies beside the data while an opening lasts, locked by the process that writes it. It holds the
/// number of attempts and what the data file was: a changed file counts anew. After three, opening throws `damaged`.
/// ```
/// attempts u32 · device u64 · inode u64 · size u64 · modified u64 (nanoseconds), little-endian
/// ```
struct OpeningMarker: ~Copyable {
  static let name = "opening"
  static let maximumAttempts: UInt32 = 3
  private static let byteCount = 36

  private let path: String
  private let descriptor: Int32

  /// Nil where it cannot be written, or another process opens the store now: the opening goes on without.
  init?(store: URL) throws {
    // Of texts, for a URL looks at the file before it takes a component.
    path = store.path + "/" + OpeningMarker.name
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    // From here on a refusal closes the descriptor by itself: all members are set, so the end of this value runs.
    guard OpeningMarker.lock(descriptor) else { return nil }
    guard let identity = OpeningMarker.identity(of: store.path + "/data.mdb") else { return }
    let known = OpeningMarker.read(descriptor)
    let attempts = known.identity == identity ? known.attempts : 0
    guard attempts < OpeningMarker.maximumAttempts else {
      throw StoreError(
        .damaged,
        "the store at \(store.path) ended the process \(attempts) times while it was opened: run `tandem check` on it, "
          + "and restore a copy, or move it away and sync it anew")
    }
    OpeningMarker.write(attempts + 1, identity, descriptor)
  }

  /// The process has outlived the opening. The file goes before its lock does.
  consuming func remove() { unlink(path) }

  deinit {
    // A process that was forked meanwhile shares the descriptor, and would keep its lock a moment longer.
    OpeningMarker.lock(descriptor, F_UNLCK)
    close(descriptor)
  }

  @discardableResult
  private static func lock(_ descriptor: Int32, _ type: Int32 = F_WRLCK) -> Bool {
    var range = flock()
    range.l_type = Int16(type)
    range.l_whence = Int16(SEEK_SET)
    range.l_len = 1
    return fcntl(descriptor, openFileDescriptionSetLock, &range) == 0
  }

  private static func identity(of path: String) -> [UInt64]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let modified = UInt64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ UInt64(status.st_mtim.tv_nsec)
    return [UInt64(status.st_dev), UInt64(status.st_ino), UInt64(status.st_size), modified]
  }

  private static func read(_ descriptor: Int32) -> (attempts: UInt32, identity: [UInt64]) {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    guard pread(descriptor, &bytes, byteCount, 0) == byteCount else { return (0, []) }
    func number(_ start: Int, _ count: Int) -> UInt64 {
      bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    return (UInt32(number(0, 4)), (0..<4).map { number(4 + 8 * $0, 8) })
  }

  /// A marker that cannot be written protects nothing, and hinders nothing.
  private static func write(_ attempts: UInt32, _ identity: [UInt64], _ descriptor: Int32) {
    var bytes = (0..<4).map { UInt8(truncatingIfNeeded: attempts >> (8 * $0)) }
    for number in identity { bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    _ = pwrite(descriptor, bytes, byteCount, 0)
  }
}
