import Foundation

/// The file of a large value that comes in pieces: `blobs/placing/<digest>.part`, which a later arrival goes on with.
///
/// Locked while somebody writes to it. An arrival that finds it locked writes to a private file, which nobody goes on
/// with: the value comes twice then, and one of them gets the place. A part is proven with the rest, by the digest of
/// the whole, and is never read as a value.
final class ArrivingValue {
  static let suffix = ".part"

  let path: String
  /// Whether a later arrival may go on with the file.
  let isShared: Bool
  private(set) var byteCount: Int
  private let descriptor: Int32
  /// Whether this store's device has refused a piece: then nothing is kept, for it may be full.
  private(set) var isRefused = false

  /// Opens the part of a value, or a private file. `limit`: a part that is longer begins anew.
  init(of name: String, limit: Int, in folder: String, mode: mode_t) throws {
    let part = "\(folder)/\(name)\(Self.suffix)"
    if let (descriptor, byteCount) = Self.lock(part, mode: mode) {
      (path, isShared, self.descriptor, self.byteCount) = (part, true, descriptor, byteCount)
      if byteCount > limit { try clear() }
      return
    }
    path = "\(folder)/\(name).\(getpid()).\(RecordID.random())"
    (isShared, byteCount) = (false, 0)
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw StoreError(systemError: errno, doing: "make the file", path: path) }
  }

  deinit { close(descriptor) }

  /// Nil where another holds it, or has given it its place since it was opened.
  private static func lock(_ path: String, mode: mode_t) -> (descriptor: Int32, byteCount: Int)? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else { return nil }
    var (own, present) = (stat(), stat())
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &own) == 0, lstat(path, &present) == 0,
      own.st_ino == present.st_ino, own.st_dev == present.st_dev, own.st_mode & S_IFMT == S_IFREG,
      lseek(descriptor, 0, SEEK_END) == own.st_size
    else {
      close(descriptor)
      return nil
    }
    return (descriptor, Int(own.st_size))
  }

  /// Calls `body` with the open file.
  func withDescriptor<Result>(_ body: (Int32) throws -> Result) rethrows -> Result { try body(descriptor) }

  /// Adds a piece; `write` writes it.
  func append(_ count: Int, _ write: (Int32) throws -> Void) throws {
    do {
      try write(descriptor)
      byteCount += count
    } catch {
      isRefused = true
      throw error
    }
  }

  /// Begins anew.
  func clear() throws {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw StoreError(systemError: errno, doing: "empty the file", path: path)
    }
    byteCount = 0
  }

  /// Removes the file, which has no other name.
  func remove() { unlink(path) }

  /// The value of which a file is a part; nil for all other files.
  static func valueName(ofPart name: String) -> String? {
    guard name.hasSuffix(suffix) else { return nil }
    let value = String(name.dropLast(suffix.count))
    return ExternalReference.isName(value) ? value : nil
  }
}
