import CLMDB

/// One of the two pages that make a commit valid: which trees the data file holds.
///
/// Layout (LMDB 0.9, data version 1, little-endian), after the page's header of 16 bytes: 0 magic, 4 version, 24 page
/// size, 64 root of the list of free pages, 112 root of the main database, 120 last page, 128 transaction id. The
/// transaction with an even id has page 0, the one with an odd id page 1.
struct DataFileMeta: Equatable {
  static let byteCount = 136
  static let pageHeaderBytes = 16
  static let magic: UInt32 = 0xbeef_c0de
  static let version: UInt32 = 1

  let bytes: [UInt8]

  /// Nil for bytes that are no meta page.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
    guard bytes.number(UInt32.self, at: 0) == Self.magic, bytes.number(UInt32.self, at: 4) == Self.version else {
      return nil
    }
  }

  var pageSize: Int { Int(bytes.number(UInt32.self, at: 24)) }
  var freeRoot: UInt64 { bytes.number(UInt64.self, at: 64) }
  var mainRoot: UInt64 { bytes.number(UInt64.self, at: 112) }
  var lastPage: UInt64 { bytes.number(UInt64.self, at: 120) }
  var transactionID: UInt64 { bytes.number(UInt64.self, at: 128) }
}

// In the file.
extension DataFileMeta {
  /// The page of a transaction; nil where another one has written over it.
  init?(_ descriptor: Int32, of transactionID: UInt64, pageSize: Int) throws {
    guard let found = try DataFileMeta(descriptor, page: Int(transactionID & 1), pageSize: pageSize),
      found.transactionID == transactionID
    else { return nil }
    self = found
  }

  /// The page of the last commit; nil where neither page is sound.
  static func newest(_ descriptor: Int32) throws -> DataFileMeta? { newest(of: try all(descriptor)) }

  static func newest(of metas: [DataFileMeta]) -> DataFileMeta? {
    metas.max { $0.transactionID < $1.transactionID }
  }

  /// Both pages, as far as they are sound: the page that a power cut caught is the older one, or whole.
  static func all(_ descriptor: Int32) throws -> [DataFileMeta] {
    let first = try DataFileMeta(descriptor, page: 0, pageSize: 0)
    // The first page tells where the second one is; if that is lost, the usual sizes of pages are tried.
    let told = first.flatMap { DataFilePages.isPageSize($0.pageSize) ? [$0.pageSize] : nil }
    for size in told ?? [4096, 8192, 16384, 32768, 65536] {
      if let second = try DataFileMeta(descriptor, page: 1, pageSize: size) {
        return [first, second].compactMap(\.self)
      }
    }
    return [first].compactMap(\.self)
  }

  private init?(_ descriptor: Int32, page: Int, pageSize: Int) throws {
    let bytes = try Self.read(descriptor, at: page * pageSize + Self.pageHeaderBytes, count: Self.byteCount)
    guard let bytes else { return nil }
    self.init(bytes)
  }

  /// Bytes of the file; nil where it ends before. A read that fails is no answer, and throws.
  static func read(_ descriptor: Int32, at offset: Int, count: Int) throws -> [UInt8]? {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let part = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
        if part < 0, lastSystemError() == EINTR { continue }
        if part < 0 { code = lastSystemError() }
        if part <= 0 { return }
        filled += part
      }
    }
    if code != 0 { throw LMDBError(returnCode: code, operation: "read the data file") }
    return bytes.count == count ? bytes : nil
  }
}
