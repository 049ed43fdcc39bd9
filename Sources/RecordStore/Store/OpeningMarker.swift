import Foundation
import LMDB

/// Remembers attempts to open a store that ended with the process: a page that is damaged in the right place kills
/// the process that maps it, and an app that opens its store at the start would never get to say so.
///
/// The file `opening` lies beside the data, locked by the process that opens it and writes it. It holds the number of
/// attempts that have not ended well, and what the data file was: a changed file counts anew. After three, opening
/// throws `damaged`. In a store the file stays, because making and removing it takes longer than ten other system
/// calls, and so does giving back the room that it has on the disk; between openings it is all zeros, or empty.
/// ```
/// attempts u32 · device u64 · inode u64 · size u64 · modified u64 (nanoseconds), little-endian
/// ```
struct OpeningMarker: ~Copyable {
  static let name = "opening"
  static let maximumAttempts: UInt32 = 3
  private static let byteCount = 36

  private let path: String
  private let descriptor: Int32
  private let isNew: Bool

  /// Nil where it cannot be written, another process opens the store now, or the file is somebody else's: the opening
  /// goes on without.
  init?(store: String, mode: UInt16) throws {
    path = store + "/" + OpeningMarker.name
    (descriptor, isNew) = FileRights.open(path, mode: UInt32(mode), beside: store + "/data.mdb")
    // From here on a refusal closes the descriptor by itself: all members are set, so the end of this value runs.
    guard descriptor >= 0, OpeningMarker.lock(descriptor) else { return nil }
    let bytes = OpeningMarker.read(descriptor)
    guard bytes.isEmpty || bytes.count == OpeningMarker.byteCount else { return nil }
    guard let identity = OpeningMarker.identity(of: store + "/data.mdb") else { return }
    let last = OpeningMarker.decode(bytes)
    let attempts = last.identity == identity ? last.attempts : 0
    guard attempts < OpeningMarker.maximumAttempts else {
      throw StoreError(
        .damaged,
        "the store at \(store) ended the process \(attempts) times while it was opened: run `tandem check` on it, "
          + "and restore a copy, or move it away and sync it anew")
    }
    _ = OpeningMarker.write(attempts + 1, identity, descriptor)
  }

  /// The process has outlived the opening. Where that has failed, no new file stays beside what may be no store; it
  /// goes before its lock does.
  consuming func end(hasOpened: Bool) {
    if isNew, !hasOpened {
      unlink(path)
    } else if !OpeningMarker.write(0, [0, 0, 0, 0], descriptor) {
      ftruncate(descriptor, 0)
    }
  }

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
    // A mark, whatever the time: it may lie before 1970.
    let modified = status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
    return [
      UInt64(status.st_dev), UInt64(status.st_ino), UInt64(status.st_size), UInt64(truncatingIfNeeded: modified),
    ]
  }

  /// The contents of the file; of a longer one a byte more than a marker has.
  private static func read(_ descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount + 1)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, count)))
  }

  private static func decode(_ bytes: [UInt8]) -> (attempts: UInt32, identity: [UInt64]) {
    guard bytes.count == byteCount else { return (0, []) }
    func number(_ start: Int, _ count: Int) -> UInt64 {
      bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    return (UInt32(number(0, 4)), (0..<4).map { number(4 + 8 * $0, 8) })
  }

  /// False for a marker that cannot be written, which protects nothing, and hinders nothing.
  private static func write(_ attempts: UInt32, _ identity: [UInt64], _ descriptor: Int32) -> Bool {
    var bytes = (0..<4).map { UInt8(truncatingIfNeeded: attempts >> (8 * $0)) }
    for number in identity { bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    return pwrite(descriptor, bytes, byteCount, 0) == byteCount
  }
}
