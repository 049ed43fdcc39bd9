import Foundation

/// A file under way whose bytes are the same at each attempt. The next attempt compares what one that was cut off has
/// written, and writes the rest.
///
/// It lies beside its place as `.NAME.partial`. The attempt that fills it has it locked; another at the same time
/// writes a file of its own. Nothing there is trusted: neither the length, for a power cut may leave zeros, nor the
/// bytes, for in a shared folder somebody else can lay them there.
final class FileDraft {
  /// Thrown by ``put(_:)`` and ``finish()`` where other bytes lie there than before.
  struct Difference: Error {}

  let path: String
  private let place: URL
  private let handle: FileHandle
  /// How many bytes of earlier attempts are still to be compared.
  private var rest: Int

  /// Nil where none can be had: another attempt has it, something else lies there, or the file system has no locks.
  init?(for place: URL, sharing: FileSharing) {
    self.place = place
    path = FileDraft.path(of: place.lastPathComponent, in: place.deletingLastPathComponent())
    guard !FileCall.create.fails(at: path) else { return nil }
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, sharing.fileMode)
    guard descriptor >= 0 else { return nil }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if errno != EWOULDBLOCK { unlink(path) }
      return nil
    }
    var (opened, named) = (stat(), stat())
    guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0,
      // Another attempt may have renamed it before it was locked here.
      opened.st_ino == named.st_ino, opened.st_dev == named.st_dev,
      // Another owner could change the file later, and a second name may be that of a file of this device.
      opened.st_mode & S_IFMT == S_IFREG, opened.st_nlink == 1, opened.st_uid == geteuid()
    else { return nil }
    rest = Int(opened.st_size)
    DurableFile.share(descriptor, sharing, madeIn: place.deletingLastPathComponent())
  }

  /// Takes the file's next bytes.
  func put(_ bytes: [UInt8]) throws {
    let count = min(rest, bytes.count)
    if count > 0 {
      guard isThere(bytes.prefix(count)) else { throw Difference() }
      rest -= count
    }
    guard count < bytes.count else { return }
    try DurableFile.write(Array(bytes[count...]), to: handle.fileDescriptor, of: place)
  }

  private func isThere(_ bytes: ArraySlice<UInt8>) -> Bool {
    do {
      return try handle.read(upToCount: bytes.count)?.elementsEqual(bytes) ?? false
    } catch {
      // A page that cannot be read is written anew.
      return false
    }
  }

  /// Flushes the file, which has all its bytes.
  func finish() throws {
    guard rest == 0 else { throw Difference() }
    try DurableFile.flush(handle.fileDescriptor, at: path, of: place)
  }

  /// Forgets what lies there.
  func beginAnew() throws {
    rest = 0
    guard ftruncate(handle.fileDescriptor, 0) == 0, lseek(handle.fileDescriptor, 0, SEEK_SET) == 0 else {
      throw DurableFile.failure("write", place)
    }
  }

  // MARK: What was left

  private static func path(of name: String, in folder: URL) -> String {
    folder.appending(path: ".\(name)\(DurableFile.partialSuffix)").path
  }

  /// Removes what attempts have left that nothing fills. `isDone`: whether a file of some name is not to be written any
  /// more.
  static func removeAbandoned(in folder: URL, where isDone: (_ name: String) -> Bool) throws {
    for entry in try DurableFile.names(in: folder)
    where entry.hasPrefix(".") && entry.hasSuffix(DurableFile.partialSuffix) {
      let name = String(entry.dropFirst().dropLast(DurableFile.partialSuffix.count))
      guard isDone(name) else { continue }
      let descriptor = open(path(of: name, in: folder), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
      try DurableFile.remove(folder.appending(path: entry))
    }
  }
}
