import CLMDB

/// This process's own descriptor of an environment's data file, beside those of LMDB.
///
/// It reads the file without LMDB. It keeps the mark of a failed flush, which all processes see. It also asks the
/// system whether a flush failed: Linux reports a failed write to the device once to each descriptor that was open
/// then (man 2 fsync), so this descriptor still hears of an error that LMDB's has consumed.
///
/// The mark lies in the first page, behind what LMDB keeps there. LMDB writes that part of the page once, when it
/// makes the file. The mark needs no room on the disk, and a copy of the environment carries it along.
///
/// | offset | size | what |
/// |---|---|---|
/// | 1024 | 8 | `TANDEMFF` |
/// | 1032 | 4 | CRC-32C of the 8 bytes behind it |
/// | 1036 | 8 | the last transaction id that was known to be valid, little-endian |
final class DataFile: Sendable {
  static let name = "data.mdb"
  static let markOffset: off_t = 1024
  private static let markMagic = Array("TANDEMFF".utf8)
  private static let markBytes = 20

  let descriptor: Int32
  private let directory: String

  /// Makes an empty data file where there is none, unless it is opened for reading. LMDB takes that for a new one.
  /// Throws `noSuchFile` or `accessDenied`, among others.
  ///
  /// - Parameter mode: permission bits of a new file.
  init(directory: String, isReadOnly: Bool, mode: UInt32 = 0o600) throws {
    self.directory = directory
    let path = directory + "/" + Self.name
    // The opening of a pipe would wait for its writer.
    descriptor =
      isReadOnly
      ? openFile(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0) : FileRights.open(path, mode: mode, beside: nil).descriptor
    if descriptor < 0 {
      throw LMDBError(returnCode: lastSystemError(), operation: "open the environment at \(directory)")
    }
  }

  deinit { close(descriptor) }

  /// Reads both meta pages, asks the system to begin reading the pages to which the newer one leads, and does not wait:
  /// from a cold disk they arrive while LMDB opens. Costs four system calls.
  func prefetchRoots() throws -> [DataFileMeta] {
    let metas = try DataFileMeta.all(descriptor)
    guard let newest = DataFileMeta.newest(of: metas), let count = Int32(exactly: newest.pageSize) else { return metas }
    for page in [newest.mainRoot, newest.freeRoot].compactMap(Int32.init(exactly:)) {
      beginReading(descriptor, off_t(page) * off_t(count), count)
    }
    return metas
  }

  /// Brings the file to the device. Throws what the system knows of earlier writes, too.
  func flush() throws {
    let code = flushFile(descriptor)
    if code != 0 { throw failure(code, "flush") }
  }

  /// Whether a flush failed, here or in another process, and nobody has proven the file since. One read of 20 bytes.
  func hasFailedFlush() throws -> Bool {
    // A pointer to memory of the stack, which costs nothing: each commit asks.
    try withUnsafeTemporaryAllocation(byteCount: Self.markBytes, alignment: 8) { room in
      let count = pread(descriptor, room.baseAddress, room.count, Self.markOffset)
      if count < 0 { throw failure(lastSystemError(), "read") }
      let bytes = RawBytes(UnsafeRawBufferPointer(room))
      // An empty file becomes an environment when LMDB opens it.
      let isMark = Self.markMagic.withRawBytes { $0.compare(bytes.slice(0..<8)) == 0 }
      guard count == bytes.count, isMark else { return false }
      return bytes.load(at: 8, as: UInt32.self) == bytes.slice(12..<20).checksum
    }
  }

  /// Marks a failed flush for all processes. Nobody can be told where this write fails as well: then each process hears
  /// of the failure from its own next flush.
  func noteFailedFlush(after transactionID: UInt64) throws {
    let number = (0..<8).map { UInt8(truncatingIfNeeded: transactionID >> (8 * $0)) }
    let checksum = number.withRawBytes(\.checksum)
    let check = (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    try write(Self.markMagic + check + number, at: Self.markOffset)
  }

  /// Takes the mark away, and waits until that is on the device.
  func forgetFailedFlush() throws {
    try write([UInt8](repeating: 0, count: Self.markBytes), at: Self.markOffset)
    try flush()
  }

  func write(_ bytes: [UInt8], at offset: off_t) throws {
    var written = 0
    while written < bytes.count {
      let part = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress! + written, $0.count - written, offset + off_t(written))
      }
      if part < 0, lastSystemError() == EINTR { continue }
      if part <= 0 { throw failure(part < 0 ? lastSystemError() : EIO, "write to") }
      written += part
    }
  }

  /// How long the file is; nil where the system does not say. Asks for no times: Linux would then have the next flush
  /// write them.
  var length: Int? {
    let end = lseek(descriptor, 0, SEEK_END)
    return end < 0 ? nil : Int(end)
  }

  /// Writes zeros from the end of the file on. Returns how many the system took, which may be fewer or none.
  func appendZeros(at end: Int, count: Int) -> Int {
    let zeros = [UInt8](repeating: 0, count: count)
    while true {
      let written = pwrite(descriptor, zeros, count, off_t(end))
      if written < 0, lastSystemError() == EINTR { continue }
      return max(written, 0)
    }
  }

  private func failure(_ code: Int32, _ action: String) -> LMDBError {
    LMDBError(returnCode: code, operation: "\(action) \(directory)/\(Self.name)", directory: directory)
  }
}
