import CLMDB

/// The pages of a data file, read from the file: a damaged page, or one that the device cannot read, ends no process.
///
/// A copy or a store that nobody writes to: a page of a store in use may be replaced between two reads.
final class DataFilePages {
  let pageBytes: Int
  /// How many whole pages the file has.
  let count: UInt64
  /// The two meta pages in their order; a damaged one is left out.
  let metas: [DataFileMeta]
  /// The system's latest error where it could not read a part of the file.
  private(set) var failure: LMDBError?
  private let descriptor: Int32

  /// Throws `noSuchFile` or `accessDenied`, `invalidFile` for a file without a readable meta page whose pages do not
  /// tell their size, and what the system said where that is because the device could not read them.
  init(directory: String) throws {
    let operation = "read the data file in \(directory)"
    // The opening of a pipe would wait for its writer.
    descriptor = openFile(directory + "/data.mdb", O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0)
    if descriptor < 0 { throw LMDBError(returnCode: lastSystemError(), operation: operation) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = lastSystemError()
      close(descriptor)
      throw LMDBError(returnCode: code, operation: operation)
    }
    var unread: LMDBError?
    do {
      metas = try DataFileMeta.all(descriptor)
    } catch let error as LMDBError {
      (metas, unread) = ([], error)
    }
    let told = metas.map(\.pageSize).first(where: Self.isPageSize)
    guard let pageBytes = told ?? Self.pageSize(descriptor, &unread) else {
      close(descriptor)
      // A device that does not read says nothing of what lies there.
      if let unread { throw unread }
      throw LMDBError(.invalidFile, operation: operation, detail: "it is no data file, or its beginning is destroyed")
    }
    failure = unread
    self.pageBytes = pageBytes
    count = UInt64(status.st_size) / UInt64(pageBytes)
  }

  deinit { close(descriptor) }

  /// Nil behind the end of the file, and where the device cannot read it.
  func bytes(_ number: UInt64, pages: Int = 1) -> [UInt8]? {
    guard number < count, pages > 0, UInt64(pages) <= count - number else { return nil }
    let wanted = pages * pageBytes
    var bytes = [UInt8](repeating: 0, count: wanted)
    var done = 0
    while done < wanted {
      let read = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + done, wanted - done, off_t(number) * off_t(pageBytes) + off_t(done))
      }
      if read < 0, lastSystemError() == EINTR { continue }
      if read < 0 { failure = LMDBError(returnCode: lastSystemError(), operation: "read the data file") }
      guard read > 0 else { return nil }
      done += read
    }
    return bytes
  }

  /// Nil where no page with this number can be read.
  func page(_ number: UInt64) -> DataFilePage? {
    bytes(number).flatMap { DataFilePage($0, number: number) }
  }

  /// A value of overflow pages; nil where they are not sound.
  func overflow(_ number: UInt64, byteCount: Int) -> (value: [UInt8], pages: Int)? {
    guard byteCount >= 0, case .overflow(let pages)? = page(number)?.kind,
      byteCount <= pages * pageBytes - DataFilePage.headerBytes, pages <= Int(clamping: count),
      let bytes = bytes(number, pages: pages)
    else { return nil }
    return (Array(bytes[DataFilePage.headerBytes..<DataFilePage.headerBytes + byteCount]), pages)
  }

  static func isPageSize(_ size: Int) -> Bool { size >= 512 && size <= 65536 && size & (size - 1) == 0 }

  /// Where both meta pages are gone: the size with which the pages behind them bear their numbers. `unread` gets what
  /// the system says where it cannot read one.
  private static func pageSize(_ descriptor: Int32, _ unread: inout LMDBError?) -> Int? {
    [4096, 8192, 16384, 32768, 65536].first { size in
      (2..<10).contains { number in
        var bytes = [UInt8](repeating: 0, count: size)
        let read = pread(descriptor, &bytes, size, off_t(number * size))
        if read < 0 { unread = LMDBError(returnCode: lastSystemError(), operation: "read the data file") }
        return read == size && DataFilePage(bytes, number: UInt64(number))?.isIntact == true
      }
    }
  }
}
