import CLMDB

/// The file `redo.log` of an environment: records of the last commits, from the beginning of a page each, so that a
/// power cut that tears a page hits one record only.
///
/// It is made, with its whole length written and flushed, before its first record: a flush then brings the record to
/// the device and nothing else.
final class RedoFile {
  static let name = "redo.log"
  static let firstRecord = 0
  static let capacity = 1 << 20
  /// Where no record is written: the last page belongs to ``RedoFailure``. A first build wrote records there as well.
  static let endOfRecords = capacity - pageBytes
  private static let pageBytes = 4096
  private static let mark = Array("TRDM".utf8)

  let path: String
  private let directory: String
  /// The directory itself, wherever it is moved; negative where it may not be listed, and is known by its path.
  private let folder: Int32
  private let isReadOnly: Bool
  /// Negative until there is such a file.
  private var descriptor: Int32 = -1

  init(directory: String, options: Environment.Options) {
    self.directory = directory
    path = directory + "/" + Self.name
    folder = openFile(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    isReadOnly = options.isReadOnly
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if folder >= 0 { close(folder) }
  }

  private func open(_ flags: Int32) -> Int32 {
    folder < 0 ? openFile(path, flags, 0o600) : openFileIn(folder, Self.name, flags, 0o600)
  }

  /// Another process may make the file at any time.
  private func isThere() throws -> Bool {
    if descriptor >= 0 { return true }
    descriptor = open((isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC)
    if descriptor >= 0 { return true }
    let code = lastSystemError()
    // Who can open no file at all need not open one that is not there.
    if code == ENOENT || !hasName { return false }
    throw failure(code, "open")
  }

  private var hasName: Bool {
    var status = stat()
    let code = folder < 0 ? stat(path, &status) : fstatat(folder, Self.name, &status, 0)
    return code == 0 || lastSystemError() != ENOENT
  }

  /// Whether this process may write files of a log's length. Asked first, for a write beyond would end the process.
  static var isWithinLimit: Bool { longestFile() >= capacity }

  /// The place after a record.
  static func end(of byteCount: Int, at offset: Int) -> Int {
    offset + (byteCount + pageBytes - 1) / pageBytes * pageBytes
  }

  func header(at offset: Int) throws -> RedoRecord.Header? {
    guard try isThere(), offset + RedoRecord.headerBytes <= Self.capacity else { return nil }
    return try RedoRecord.Header(try read(RedoRecord.headerBytes, at: offset), isFirst: offset == Self.firstRecord)
  }

  /// The record whose header was found at an offset; nil if the rest of it is not there.
  func record(_ header: RedoRecord.Header, at offset: Int) throws -> RedoRecord? {
    guard offset + header.byteCount <= Self.capacity else { return nil }
    return RedoRecord(try read(header.byteCount, at: offset), header)
  }

  private func read(_ count: Int, at offset: Int) throws -> [UInt8] {
    var failed: Int32 = 0
    // Into the array's own memory: a record has up to 200 KB.
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let part = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
        if part <= 0 {
          failed = part < 0 ? lastSystemError() : 0
          return
        }
        filled += part
      }
    }
    if failed != 0 { throw failure(failed, "read") }
    return bytes
  }

  /// Writes a record. It is on the device after a ``flush()``.
  func write(_ record: [UInt8], at offset: Int) throws { try writeBytes(record, at: offset) }

  /// Takes a record away, and so all that follow it, and waits until that is on the device. On a throw it is there as
  /// before: the device may still have it, so nobody may take it for erased.
  func erase(at offset: Int) throws {
    let kept = try read(RedoRecord.headerBytes, at: offset)
    try writeBytes([UInt8](repeating: 0, count: RedoRecord.headerBytes), at: offset)
    do {
      try flush()
    } catch {
      try writeBytes(kept, at: offset)
      throw error
    }
  }

  /// Says that a commit comes which does not wait for the device, in the place of a record: the log is void, or empty.
  ///
  /// Waits for the device neither: a power cut takes those with it who would read it.
  func setMark() throws { if try isThere() { try writeBytes(Self.mark, at: Self.firstRecord) } }

  func hasMark() throws -> Bool { try read(Self.mark.count, at: Self.firstRecord) == Self.mark }

  /// Marks the records that the file holds as needed, for all who have it open.
  func setFailure() throws {
    guard let first = try header(at: Self.firstRecord) else { return }
    try writeBytes(RedoFailure(generation: first.generation).encoded(), at: Self.endOfRecords)
  }

  func hasFailure(of generation: UInt64) throws -> Bool {
    RedoFailure(try read(RedoFailure.byteCount, at: Self.endOfRecords))?.generation == generation
  }

  /// Makes the file where there is none, and sees to it that its bytes have their places on the device, and that it has
  /// its name there: who made it may have been killed before. For the first record of a process.
  ///
  /// - Parameter dataFile: whoever may use it may use the log.
  func reserve(beside dataFile: Int32) throws {
    if try !isThere() { try make(beside: dataFile) }
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw failure(lastSystemError(), "measure") }
    if status.st_size < Self.capacity { try fill() }
    if fsync(descriptor) != 0 { throw failure(lastSystemError(), "flush") }
    let code = folder < 0 ? flushFolder(directory) : fsync(folder) == 0 ? 0 : lastSystemError()
    if code != 0 { throw failure(code, "flush the directory of") }
  }

  private func make(beside dataFile: Int32) throws {
    descriptor = open(O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC)
    // Another process was faster.
    if descriptor < 0, lastSystemError() == EEXIST, try isThere() { return }
    if descriptor < 0 { throw failure(lastSystemError(), "make") }
    FileRights.take(descriptor, from: dataFile)
  }

  /// Written, not only made longer. What there is no room for gives back what it took.
  private func fill() throws {
    do {
      try writeBytes([UInt8](repeating: 0, count: Self.capacity), at: 0)
    } catch {
      if ftruncate(descriptor, 0) != 0 { throw failure(lastSystemError(), "empty") }
      throw error
    }
  }

  private func writeBytes(_ bytes: [UInt8], at offset: Int) throws {
    var written = 0
    while written < bytes.count {
      let part = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress! + written, $0.count - written, off_t(offset + written))
      }
      if part <= 0 { throw failure(part < 0 ? lastSystemError() : EIO, "write to") }
      written += part
    }
  }

  func flush() throws {
    let code = flushFile(descriptor)
    if code != 0 { throw failure(code, "flush") }
  }

  private func failure(_ code: Int32, _ action: String) -> LMDBError {
    LMDBError(returnCode: code, operation: "\(action) \(path)", directory: directory)
  }
}
