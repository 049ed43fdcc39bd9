import Foundation
import RecordStore
import Synchronization

/// Files that are there completely or not at all, also after a power cut.
enum DurableFile {
  /// Between writing and renaming a file bears a name that no reader takes.
  static let partialSuffix = ".partial"

  private static let attempts = Atomic<UInt64>(0)

  /// Writes under a private name, flushes, renames, flushes the folder. A crash leaves at most a partial file.
  /// On an error the file is not there, or the old one is untouched; where only the flush of the folder failed, the
  /// message says that the file is in its place. Throws `unusableFile` where a folder lies under the name.
  static func publish(
    _ bytes: [UInt8], named name: String, in folder: URL, sharing: FileSharing = .owner
  ) throws {
    try publish(named: name, in: folder, sharing: sharing) { put in try put(bytes) }
  }

  /// As ``publish(_:named:in:sharing:)``, of bytes that `fill` gives in pieces.
  static func publish(
    named name: String, in folder: URL, sharing: FileSharing = .owner,
    _ fill: (_ put: ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    try createFolder(folder, sharing: sharing)
    // A secret that a killed attempt has left would stay when the file itself is removed.
    if sharing == .secret { try removeAbandonedPartials(of: name, in: folder) }
    // Two engines of one process may write the same file at once.
    let attempt = attempts.wrappingAdd(1, ordering: .relaxed).newValue
    let place = folder.appending(path: name)
    let partial = folder.appending(path: ".\(name).\(attempt).\(getpid())\(partialSuffix)").path
    do {
      try write(to: partial, of: place, sharing, fill)
      try rename(partial, to: place)
    } catch let stop as Interruption.Stop {
      // A dead process cleans nothing up.
      throw stop
    } catch {
      unlink(partial)
      throw error
    }
    try flushNewName(of: place)
  }

  /// As ``publish(named:in:sharing:_:)``, of many bytes that are the same at each attempt: what a killed or cancelled
  /// attempt has written is compared, and only the rest is written. `fill` may be called twice.
  static func publishGoingOn(
    named name: String, in folder: URL, sharing: FileSharing = .owner,
    _ fill: (_ put: ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    try createFolder(folder, sharing: sharing)
    let place = folder.appending(path: name)
    guard let draft = FileDraft(for: place, sharing: sharing) else {
      return try publish(named: name, in: folder, sharing: sharing, fill)
    }
    do {
      do {
        try fill(draft.put)
        try draft.finish()
      } catch is FileDraft.Difference {
        try draft.beginAnew()
        try fill(draft.put)
        try draft.finish()
      }
      try rename(draft.path, to: place)
    } catch let error where error is Interruption.Stop || error is CancellationError {
      throw error
    } catch {
      // The room may be needed for others: the disk may be full.
      unlink(draft.path)
      throw error
    }
    try flushNewName(of: place)
  }

  private static func rename(_ partial: String, to place: URL) throws {
    try Interruption.point("before the rename of a file")
    defer { FolderMemory.forget(place) }
    guard !FileCall.rename.fails(at: place.path), Foundation.rename(partial, place.path) == 0 else {
      throw errno == EISDIR
        ? unusable(place, "is a folder")
        : failure("publish \(place.lastPathComponent) in", place.deletingLastPathComponent())
    }
  }

  private static func flushNewName(of place: URL) throws {
    try Interruption.point("before the flush of a folder")
    do {
      try flush(place.deletingLastPathComponent())
    } catch var error as SyncError {
      // All see the file there already: nobody may hear that nothing was done.
      error.message = "\(place.path) is in its place, but a power cut may take that back: \(error.message)"
      error.cause = StoreError(.commitOutcomeUnknown, error.message, cause: error.cause)
      throw error
    }
    try Interruption.point("after a file was published")
  }

  /// Errors name `place`, where the file is to be: the private name is another at each attempt.
  private static func write(
    to path: String, of place: URL, _ sharing: FileSharing, _ fill: (_ put: ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    unlink(path)
    let isRefused = FileCall.create.fails(at: path)
    let descriptor = isRefused ? -1 : Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, sharing.fileMode)
    guard descriptor >= 0 else { throw failure("create", place) }
    defer { close(descriptor) }
    share(descriptor, sharing, madeIn: place.deletingLastPathComponent())
    try fill { try write($0, to: descriptor, of: place) }
    try flush(descriptor, at: path, of: place)
  }

  /// Gives a new file the permissions that it is to have, whatever the process's mask says. A file system without
  /// permissions refuses, which makes no difference there.
  static func share(_ descriptor: Int32, _ sharing: FileSharing, madeIn folder: URL) {
    if sharing == .everybody { _ = fchmod(descriptor, sharing.fileMode) }
    if sharing != .secret { Directory.share(descriptor, madeIn: folder) }
  }

  static func flush(_ descriptor: Int32, at path: String, of place: URL) throws {
    try Interruption.point("before the flush of a file")
    guard !FileCall.flush.fails(at: path), fsync(descriptor) == 0 else { throw failure("write", place) }
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32, of place: URL) throws {
    guard !FileCall.write.fails(at: place.path) else { throw failure("write", place) }
    var offset = 0
    while offset < bytes.count {
      // With a plan in two halves, so that it can stop between them.
      let end = Interruption.plan == nil ? bytes.count : max(offset + 1, (offset + bytes.count) / 2)
      let written = bytes[offset..<end].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw failure("write", place) }
      offset += written
      try Interruption.point("within the writing of a file")
    }
  }

  static func flush(_ folder: URL) throws {
    let isRefused = FileCall.flush.fails(at: folder.path)
    let descriptor = isRefused ? -1 : Foundation.open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", folder) }
    defer { close(descriptor) }
    // Some file systems (FUSE) cannot flush a folder and say EINVAL; the file itself is flushed all the same.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("flush", folder) }
  }

  static func createFolder(_ folder: URL, sharing: FileSharing = .owner) throws {
    if let item = try item(at: folder) {
      guard item == .directory else {
        throw SyncError(.notADirectory, "\(folder.path) is a file where a folder is needed; move it away")
      }
      return
    }
    let parent = folder.deletingLastPathComponent()
    try createFolder(parent, sharing: sharing)
    defer { FolderMemory.forget(folder) }
    if !FileCall.makeFolder.fails(at: folder.path), mkdir(folder.path, sharing.folderMode) == 0 {
      if sharing == .everybody { _ = chmod(folder.path, sharing.folderMode) }
      Directory.share(folder: folder)
    } else if errno != EEXIST {
      throw failure("create", folder)
    }
    try flush(parent)
  }

  /// Names of a folder's entries, sorted; empty when there is no such folder. Throws `unusableFile` where something
  /// else lies there, or the system does not list it.
  static func names(in folder: URL) throws -> [String] {
    guard let memory = FolderMemory.current else { return try list(folder) }
    return try memory.names(in: folder) { try list(folder) }
  }

  private static func list(_ folder: URL) throws -> [String] {
    guard !FileCall.list.fails(at: folder.path) else { throw failure("list", folder, .unusableFile) }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    } catch {
      // Not by a second look alone, which would find what another process has made since.
      if SystemErrorNumber.number(of: error) == ENOENT { return [] }
      guard let item = try itemToRead(at: folder) else { return [] }
      guard item == .directory else { throw unusable(folder, "is no folder") }
      throw failure("list", folder, error, .unusableFile)
    }
  }

  /// The file's size in bytes; nil if there is no such regular file. Throws where the system cannot say: nothing may be
  /// concluded from a device that fails.
  static func size(of file: URL) throws -> Int? {
    guard case .file(let byteCount) = try item(at: file) else { return nil }
    return byteCount
  }

  /// Nil if there is nothing of this name.
  static func item(at url: URL) throws -> FileItem? {
    guard let memory = FolderMemory.current else { return try look(at: url) }
    return try memory.item(at: url) { try look(at: url) }
  }

  private static func look(at url: URL) throws -> FileItem? {
    guard !FileCall.look.fails(at: url.path) else { throw failure("look at", url) }
    do {
      return try FileItem(at: url.path)
    } catch  where error.code == .ELOOP {
      // Links in a circle lead to nothing that could be made or read.
      return .other
    } catch {
      throw failure("look at", url, error)
    }
  }

  /// As ``item(at:)``, of what is to be read: where the system cannot say, that one cannot be read.
  private static func itemToRead(at url: URL) throws -> FileItem? {
    do {
      return try item(at: url)
    } catch var error as SyncError {
      error.code = .unusableFile
      throw error
    }
  }

  /// The whole file, or nil if it went away since its name was seen, or is larger than `limit`. Throws `unusableFile`
  /// for what is no file, or a link that leads to none.
  static func readIfPresent(_ file: URL, limit: Int) throws -> [UInt8]? {
    do {
      return try content(of: file, limit: limit)
    } catch let error as SyncError where error.code == .damagedFile {
      return nil
    }
  }

  /// The value that `opening` makes of the whole file, or nil if it went away. Throws as ``read(_:limit:)`` does, and
  /// what `opening` throws.
  static func readIfPresent(
    _ file: URL, limit: Int, opening: ([UInt8]) throws -> [UInt8]
  ) throws -> [UInt8]? {
    try content(of: file, limit: limit, opening: opening)
  }

  /// The whole file; refused before memory is taken when it is larger than `limit`. Throws `unusableFile` where no file
  /// is that can be read: one such entry must not keep others from being read.
  static func read(_ file: URL, limit: Int) throws -> [UInt8] {
    guard let bytes = try content(of: file, limit: limit) else { throw missing(file) }
    return bytes
  }

  static func missing(_ file: URL) -> SyncError { unusable(file, "is no file") }

  /// A memory keeps what was opened: a file is opened once in a run.
  private static func content(
    of file: URL, limit: Int, opening: ([UInt8]) throws -> [UInt8] = { $0 }
  ) throws -> [UInt8]? {
    guard let memory = FolderMemory.current else { return try load(file, limit: limit).map(opening) }
    return try memory.content(of: file) { try load(file, limit: limit).map(opening) }
  }

  /// Gives a file's bytes from `start` on in pieces. Returns false where no file of exactly `count` bytes is there.
  /// Throws as ``read(_:limit:)`` does, and what `take` throws.
  static func read(
    _ file: URL, inPiecesOf size: Int, ofLength count: Int, from start: Int = 0, _ take: ([UInt8]) throws -> Void
  ) throws -> Bool {
    guard let handle = try open(file), try byteCount(of: handle, file) == count else { return false }
    guard start == 0 || lseek(handle.fileDescriptor, off_t(start), SEEK_SET) == start else {
      throw failure("read", file, .unusableFile)
    }
    var rest = count - start
    while rest > 0 {
      let piece = try bytes(of: handle, file, upTo: min(size, rest))
      guard !piece.isEmpty else { return false }
      rest -= piece.count
      try take(piece)
    }
    return true
  }

  private static func bytes(of handle: FileHandle, _ file: URL, upTo count: Int) throws -> [UInt8] {
    do {
      return [UInt8](try handle.read(upToCount: count) ?? Data())
    } catch {
      throw failure("read", file, error, .unusableFile)
    }
  }

  private static func byteCount(of handle: FileHandle, _ file: URL) throws -> Int {
    var status = stat()
    guard fstat(handle.fileDescriptor, &status) == 0 else { throw failure("read", file, .unusableFile) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw unusable(file, "is no file") }
    return Int(status.st_size)
  }

  /// Opens without waiting, which else the open of a pipe would do. Nil if nothing is there.
  private static func open(_ file: URL) throws -> FileHandle? {
    guard !FileCall.read.fails(at: file.path) else { throw failure("read", file, .unusableFile) }
    let descriptor = Foundation.open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard [ENOENT, ENOTDIR].contains(errno) else { throw failure("read", file, .unusableFile) }
      var status = stat()
      // Anything but a link has come since.
      guard lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
      throw unusable(file, "is a link that leads nowhere")
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  private static func load(_ file: URL, limit: Int) throws -> [UInt8]? {
    guard let handle = try open(file) else { return nil }
    guard try byteCount(of: handle, file) <= limit else {
      throw SyncError(.damagedFile, "\(file.path) is larger than any file of its kind may be")
    }
    do {
      return [UInt8](try handle.readToEnd() ?? Data())
    } catch {
      throw failure("read", file, error, .unusableFile)
    }
  }

  private static func unusable(_ place: URL, _ what: String) -> SyncError {
    SyncError(.unusableFile, "\(place.path) \(what); remove it, or move it away")
  }

  /// Removes partial files of writers that are no more, in a folder that only this device writes to. `name`: those of
  /// one file; nil: all.
  static func removeAbandonedPartials(of name: String? = nil, in folder: URL) throws {
    let beginning = name.map { ".\($0)." } ?? "."
    for name in try names(in: folder) where name.hasPrefix(beginning) && name.hasSuffix(partialSuffix) {
      guard let writer = pid_t(name.dropLast(partialSuffix.count).split(separator: ".").last ?? ""), writer > 0,
        writer != getpid(), kill(writer, 0) != 0, errno == ESRCH
      else { continue }
      try remove(folder.appending(path: name))
    }
  }

  static func remove(_ file: URL) throws { try remove(file) { unlink(file.path) } }

  private static func remove(_ file: URL, _ unlinking: () -> Int32) throws {
    defer { FolderMemory.forget(file) }
    try Interruption.point("before the removal of a file")
    guard !FileCall.remove.fails(at: file.path), unlinking() == 0 || errno == ENOENT else {
      throw failure("remove", file)
    }
  }

  /// Removes a folder of files; what else is in it keeps it there. In the place of a folder a symbolic link is removed
  /// itself: another user of a shared folder may have laid it there, and its target is no part of the exchange.
  static func removeFolder(_ folder: URL) throws {
    let names = try names(in: folder)
    defer { FolderMemory.forget(folder) }
    let descriptor = Foundation.open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return
      case ENOTDIR, ELOOP: return try remove(folder)
      default: throw failure("remove", folder)
      }
    }
    defer { close(descriptor) }
    for name in names {
      let entry = folder.appending(path: name)
      // In the folder that was opened, whatever has been put in its place since.
      if try item(at: entry) != .directory { try remove(entry) { unlinkat(descriptor, name, 0) } }
    }
    guard !FileCall.remove.fails(at: folder.path) else { throw failure("remove", folder) }
    guard rmdir(folder.path) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST else {
      throw failure("remove", folder)
    }
  }

  /// The error for the system's latest refusal, with the remedy where there is a usual one.
  static func failure(_ action: String, _ file: URL, _ code: SyncError.Code = .inputOutput) -> SyncError {
    var failure = failure(action, file, number: errno)
    failure.code = code
    return failure
  }

  /// The error for a refusal that Foundation met.
  private static func failure(
    _ action: String, _ file: URL, _ error: any Error, _ code: SyncError.Code = .inputOutput
  ) -> SyncError {
    var failure = failure(action, file, number: SystemErrorNumber.number(of: error) ?? EIO)
    failure.code = code
    failure.cause = error
    return failure
  }

  private static func failure(_ action: String, _ file: URL, number: Int32) -> SyncError {
    let remedy =
      switch number {
      case ENOSPC, EDQUOT: "free some space and run it again"
      case EROFS: "the file system is read-only; mount it for writing"
      case EACCES, EPERM: "check the permissions"
      case ENAMETOOLONG: "choose a shorter name"
      case EFBIG: "raise the process's limit of file sizes (ulimit -f)"
      case EMFILE, ENFILE: "close some files, or raise the limit of open files (ulimit -n)"
      default: "check the disk and the path"
      }
    return SyncError(.inputOutput, "cannot \(action) \(file.path): \(String(cString: strerror(number))); \(remedy)")
  }
}
