package import Foundation
import LMDB

/// The files of one store's large values: `blobs` in the store's directory.
///
/// ```
/// blobs/7c/7c47…      a value, named after its SHA-256, in a folder of its first two digits
/// blobs/placing/…     a file that is being written, or 7c47….part: what has come of a value
/// blobs/unused/7c47…  a value that no record named any more when somebody looked, since the file's time
/// ```
/// A file is complete, and on the device, before a commit names it, and is never written to again. So what a crash
/// leaves behind is a file that nobody needs, and never a name without a file.
package struct ExternalFolder: Hashable, Sendable {
  static let name = "blobs"
  private static let placing = "placing"
  private static let unused = "unused"

  /// The folder's own path, which need not be there.
  package let path: String
  private let fileMode: UInt16
  private let directoryMode: UInt16
  /// False for stores that are thrown away: nothing of theirs is to survive a power cut.
  private let flushes: Bool

  init(store: String, fileMode: UInt16, directoryMode: UInt16, flushes: Bool) {
    path = store + "/" + Self.name
    self.fileMode = fileMode
    self.directoryMode = directoryMode
    self.flushes = flushes
  }

  package func path(of name: String) -> String { path + "/" + name.prefix(2) + "/" + name }
  private func unusedPath(of name: String) -> String { path + "/" + Self.unused + "/" + name }

  /// Whether a value's file is there, with its length. Costs a system call.
  package func has(_ reference: ExternalReference) throws -> Bool {
    try FileItem.at(path(of: reference.name)) == .file(byteCount: reference.valueByteCount)
  }

  /// Where there are bytes to read: in the value's place, or where it waits to be removed. Nil, too, where the system
  /// cannot say.
  func readablePath(of reference: ExternalReference) -> String? {
    [path(of: reference.name), unusedPath(of: reference.name)].first { path in
      var status = stat()
      return stat(path, &status) == 0 && Int(status.st_size) == reference.valueByteCount
    }
  }

  /// See ``ExternalFolders/trouble(with:)``.
  func trouble(with reference: ExternalReference) -> StoreError? {
    for path in [path(of: reference.name), unusedPath(of: reference.name)] {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      let code = errno
      guard descriptor < 0 else {
        close(descriptor)
        continue
      }
      if ![ENOENT, ENOTDIR].contains(code) {
        return StoreError(systemError: code, doing: "read a large value", path: path)
      }
    }
    return nil
  }

  /// Maps a value's file; nil where it is missing or has another length. The bytes are valid as long as the data,
  /// also when the file loses its name, and are read from the device when somebody looks at them.
  package func data(of reference: ExternalReference) -> Data? {
    let name = reference.name
    return MappedFile.data(at: path(of: name), byteCount: reference.valueByteCount)
      ?? MappedFile.data(at: unusedPath(of: name), byteCount: reference.valueByteCount)
  }

  /// Whether a value's file holds the bytes that its name promises. Reads it from end to end.
  package func isSound(_ reference: ExternalReference) -> Bool {
    MappedFile.data(at: path(of: reference.name), byteCount: reference.valueByteCount)
      .flatMap { ExternalReference(of: $0) } == reference
  }
}

// Placing.
extension ExternalFolder {
  private static let pieceByteCount = 1 << 20

  /// Brings a value to its place, on the device; nothing to do where it is there. Takes no memory of the value's size.
  /// If it throws, nothing has the value's name that is not whole.
  package func place(_ value: Data, as reference: ExternalReference, atMilliseconds now: UInt64) throws {
    guard try !has(reference) else { return }
    try makeFolder(path)
    try makeFolder(path + "/" + Self.placing)
    let temporary = "\(path)/\(Self.placing)/\(reference.name).\(getpid()).\(RecordID.random())"
    do {
      try write(value, to: temporary, atMilliseconds: now)
      try Interruption.point("after a large value was written")
      try name(temporary, reference.name)
    } catch let stop as Interruption.Stop {
      // A process that is gone clears nothing away.
      throw stop
    } catch {
      unlink(temporary)
      throw error
    }
    try Interruption.point("after a large value got its place")
  }

  /// As ``place(_:as:atMilliseconds:)``, of a value that `body` brings in pieces from the byte `start` on.
  ///
  /// The pieces that have come when `body` throws, or the process ends, are kept, and the next call goes on behind
  /// them; but nothing that this device has refused to take. Returns false, and keeps nothing, where the pieces are not
  /// the value that the reference names. A part that makes the whole wrong is thrown away, and `body` called once more,
  /// from the beginning.
  package func receive(
    _ reference: ExternalReference, atMilliseconds now: UInt64,
    _ body: (_ start: Int, _ write: (ArraySlice<UInt8>) throws -> Void) throws -> Void
  ) throws -> Bool {
    guard try !has(reference) else { return true }
    try makeFolder(path)
    let placing = path + "/" + Self.placing
    try makeFolder(placing)
    let file = try ArrivingValue(
      of: reference.name, limit: reference.valueByteCount, in: placing, mode: mode_t(fileMode))
    do {
      file.withDescriptor { Directory.share($0, madeIn: URL(fileURLWithPath: placing)) }
      guard try receive(reference, in: file, atMilliseconds: now, body) else {
        file.remove()
        return false
      }
      try name(file.path, reference.name)
    } catch let stop as Interruption.Stop {
      throw stop
    } catch {
      if !file.isShared || file.isRefused || file.byteCount == 0 { file.remove() }
      throw error
    }
    try Interruption.point("after a large value got its place")
    return true
  }

  /// How much of a value an earlier call of ``receive(_:atMilliseconds:_:)`` has kept; 0 where that is of no use.
  package func arrivedByteCount(of reference: ExternalReference) -> Int {
    var status = stat()
    let part = "\(path)/\(Self.placing)/\(reference.name)\(ArrivingValue.suffix)"
    guard lstat(part, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int(status.st_size) <= reference.valueByteCount ? Int(status.st_size) : 0
  }

  private func receive(
    _ reference: ExternalReference, in file: ArrivingValue, atMilliseconds now: UInt64,
    _ body: (_ start: Int, _ write: (ArraySlice<UInt8>) throws -> Void) throws -> Void
  ) throws -> Bool {
    while true {
      let start = file.byteCount
      if start < reference.valueByteCount {
        try body(start) { piece in
          try file.append(piece.count) { descriptor in
            try piece.withUnsafeBytes { try write($0, to: descriptor, file.path) }
          }
          try Interruption.point("within the arrival of a large value")
        }
      }
      try file.withDescriptor { try finish($0, file.path, atMilliseconds: now) }
      try Interruption.point("after a large value was received")
      // From the file, and not from the pieces: what is counted is what lies there.
      if let value = MappedFile.data(at: file.path, byteCount: reference.valueByteCount),
        ExternalReference(of: value) == reference
      {
        return true
      }
      guard start > 0 else { return false }
      try file.clear()
    }
  }

  private func write(_ value: Data, to target: String, atMilliseconds now: UInt64) throws {
    try makeFile(target, atMilliseconds: now) { descriptor in
      try value.withUnsafeBytes { try write($0, to: descriptor, target) }
    }
  }

  private func makeFile(_ target: String, atMilliseconds now: UInt64, _ fill: (Int32) throws -> Void) throws {
    let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(fileMode))
    guard descriptor >= 0 else { throw StoreError(systemError: errno, doing: "make the file", path: target) }
    defer { close(descriptor) }
    Directory.share(descriptor, madeIn: URL(fileURLWithPath: path + "/" + Self.placing))
    try fill(descriptor)
    try finish(descriptor, target, atMilliseconds: now)
  }

  private func finish(_ descriptor: Int32, _ target: String, atMilliseconds now: UInt64) throws {
    try setTime(of: descriptor, now, target)
    guard !flushes || fsync(descriptor) == 0 else {
      throw StoreError(systemError: errno, doing: "flush a large value", path: target)
    }
  }

  // A pointer, for the system takes pieces of the value where they lie.
  private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ target: String) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceByteCount))
      let count = Foundation.write(descriptor, piece.baseAddress, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoreError(systemError: errno, doing: "write a large value", path: target) }
      rest = rest.dropFirst(count)
    }
  }

  private func name(_ temporary: String, _ name: String) throws {
    let folder = path + "/" + name.prefix(2)
    try makeFolder(folder)
    guard rename(temporary, path(of: name)) == 0 else {
      throw StoreError(systemError: errno, doing: "name a large value", path: path(of: name))
    }
    if flushes { try Directory.flush(URL(fileURLWithPath: folder, isDirectory: true)) }
  }

  private func makeFolder(_ folder: String) throws {
    guard mkdir(folder, mode_t(directoryMode)) == 0 else {
      if errno == EEXIST { return }
      throw StoreError(systemError: errno, doing: "make the directory", path: folder)
    }
    let url = URL(fileURLWithPath: folder, isDirectory: true)
    Directory.share(folder: url)
    if flushes { try Directory.flush(url.deletingLastPathComponent()) }
  }

  private func setTime(of descriptor: Int32, _ milliseconds: UInt64, _ path: String) throws {
    let time = timespec(tv_sec: Int(clamping: milliseconds / 1_000), tv_nsec: Int(milliseconds % 1_000) * 1_000_000)
    guard futimens(descriptor, [time, time]) == 0 else {
      throw StoreError(systemError: errno, doing: "date the file", path: path)
    }
  }
}

// Looking through, and clearing away.
extension ExternalFolder {
  /// A file in the folder.
  package struct Item: Hashable, Sendable {
    package let name: String
    package let path: String
    package let byteCount: Int
    package let milliseconds: UInt64
  }

  /// The values that have their place.
  package func placed() throws -> [Item] {
    guard try FileItem.at(path) != nil else { return [] }
    return try FileItem.names(in: URL(fileURLWithPath: path)).filter { $0.utf8.count == 2 }
      .flatMap { try items(in: $0) }.filter { ExternalReference.isName($0.name) }
  }

  /// The values that nobody named any more.
  func unusedItems() throws -> [Item] { try items(in: Self.unused) }

  /// Files that are being written, or that writers left that ended.
  func unfinishedItems() throws -> [Item] { try items(in: Self.placing) }

  /// Whether there is nothing to look through.
  func isEmpty() throws -> Bool { try FileItem.at(path) == nil }

  private func items(in folder: String) throws -> [Item] {
    let folder = path + "/" + folder
    // A file in a folder's place is none of the store's, and holds no values.
    guard try FileItem.at(folder) == .directory else { return [] }
    return try FileItem.names(in: URL(fileURLWithPath: folder)).compactMap { name in
      let path = folder + "/" + name
      var status = stat()
      guard stat(path, &status) == 0 else {
        // Another process was faster.
        if errno == ENOENT { return nil }
        throw StoreError(systemError: errno, doing: "look", path: path)
      }
      // Some file systems keep times of 64 bits.
      let seconds = min(UInt64(clamping: status.st_mtim.tv_sec), Stamp.maximumWallMilliseconds / 1_000)
      return Item(
        name: name, path: path, byteCount: Int(status.st_size),
        milliseconds: seconds * 1_000 + UInt64(clamping: status.st_mtim.tv_nsec / 1_000_000))
    }
  }

  /// Takes a value's name away that nobody names any more; from now on it waits to be removed.
  func retire(_ item: Item, atMilliseconds now: UInt64) throws {
    try makeFolder(path + "/" + Self.unused)
    let target = unusedPath(of: item.name)
    guard rename(item.path, target) == 0 else {
      if errno == ENOENT { return }
      throw StoreError(systemError: errno, doing: "take away", path: item.path)
    }
    try date(target, atMilliseconds: now)
  }

  /// Gives a file another time. One that is gone stays gone.
  func date(_ file: String, atMilliseconds now: UInt64) throws {
    // A pipe in a file's place must not make anybody wait.
    let descriptor = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw StoreError(systemError: errno, doing: "open", path: file)
    }
    defer { close(descriptor) }
    try setTime(of: descriptor, now, file)
  }

  func remove(_ item: Item) throws {
    guard unlink(item.path) == 0 || errno == ENOENT else {
      throw StoreError(systemError: errno, doing: "remove", path: item.path)
    }
  }
}

// Copying.
extension ExternalFolder {
  /// Gives a copy of the store the values that have their place here. `links`: the copy may share the files, which
  /// nobody writes to; where the file system cannot, they are copied.
  func copy(
    to other: ExternalFolder, links: Bool = false, where isWanted: (Item) -> Bool = { _ in true }
  ) throws {
    for item in try placed() where isWanted(item) {
      let target = other.path(of: item.name)
      guard try FileItem.at(target) != .file(byteCount: item.byteCount) else { continue }
      try other.makeFolder(other.path)
      try other.makeFolder(other.path + "/" + item.name.prefix(2))
      if links, link(item.path, target) == 0 { continue }
      try other.copy(item)
    }
  }

  private func copy(_ item: Item) throws {
    try makeFolder(path + "/" + Self.placing)
    let temporary = "\(path)/\(Self.placing)/\(item.name).\(getpid()).\(RecordID.random())"
    guard let value = MappedFile.data(at: item.path, byteCount: item.byteCount) else {
      // The check of the copy tells that it lacks the value.
      return
    }
    do {
      try write(value, to: temporary, atMilliseconds: item.milliseconds)
      try name(temporary, item.name)
    } catch {
      unlink(temporary)
      throw error
    }
  }
}
