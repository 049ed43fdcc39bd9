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

  private(set) var bytes: [UInt8]

  /// Nil for bytes that are no meta page.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
    guard load(UInt32.self, at: 0) == Self.magic, load(UInt32.self, at: 4) == Self.version else { return nil }
  }

  var pageSize: Int { Int(load(UInt32.self, at: 24)) }
  var freeRoot: UInt64 { load(UInt64.self, at: 64) }
  var mainRoot: UInt64 { load(UInt64.self, at: 112) }
  var lastPage: UInt64 { load(UInt64.self, at: 120) }

  var transactionID: UInt64 {
    get { load(UInt64.self, at: 128) }
    set { bytes.replaceSubrange(128..<136, with: (0..<8).map { UInt8(truncatingIfNeeded: newValue >> (8 * $0)) }) }
  }

  private func load<Integer: FixedWidthInteger>(_ type: Integer.Type, at offset: Int) -> Integer {
    bytes.withRawBytes { $0.load(at: offset, as: type) }
  }
}

// In the file.
extension DataFileMeta {
  /// The page of a transaction; nil where it holds none, or that of another one.
  init?(_ descriptor: Int32, of transactionID: UInt64, pageSize: Int) {
    guard let found = DataFileMeta(descriptor, page: Int(transactionID & 1), pageSize: pageSize),
      found.transactionID == transactionID
    else { return nil }
    self = found
  }

  /// Both pages, as far as they are sound: the page that a power cut caught is the older one, or whole.
  static func all(_ descriptor: Int32) -> [DataFileMeta] {
    // The first page tells where the second one is; if it is lost, the usual sizes of pages are tried.
    let first = DataFileMeta(descriptor, page: 0, pageSize: 0)
    let sizes = first.map { [$0.pageSize] } ?? [4096, 8192, 16384, 32768, 65536]
    let second = sizes.lazy.compactMap { DataFileMeta(descriptor, page: 1, pageSize: $0) }.first
    return [first, second].compactMap(\.self)
  }

  private init?(_ descriptor: Int32, page: Int, pageSize: Int) {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    let count = pread(descriptor, &bytes, Self.byteCount, off_t(page * pageSize + Self.pageHeaderBytes))
    guard count == Self.byteCount else { return nil }
    self.init(bytes)
  }

  /// Writes the page of its transaction. Returns zero or the system's error.
  func write(to descriptor: Int32) -> Int32 {
    let offset = Int(transactionID & 1) * pageSize + Self.pageHeaderBytes
    let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
    if count == bytes.count { return 0 }
    return count < 0 ? lastSystemError() : EIO
  }
}
