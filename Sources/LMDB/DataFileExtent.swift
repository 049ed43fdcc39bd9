import CLMDB

/// Tells a data file that was cut short from one that merely ends in unwritten pages.
///
/// LMDB maps the file without looking at its length, and the first touch of a missing page kills the process. A file
/// may rightly be shorter than its last page number says, when the pages at its end were allocated and freed before
/// they were written; then all of them are in the list of free pages. So that list is read, by plain file reads.
///
/// Layout: see ``DataFileMeta`` and ``TreePage``, which reads pages where they lie in the map. Here they come from the
/// file. The keys of the list of free pages are transaction ids, its values a count and page numbers.
struct DataFileExtent {
  private static let invalidPage = UInt64.max
  private static let branch: UInt16 = 1
  private static let leaf: UInt16 = 2
  /// A node whose data is the number of an overflow page.
  private static let bigData: UInt16 = 1

  private let descriptor: Int32
  private let pageSize: Int
  private let filePages: UInt64
  private let lastPage: UInt64
  /// Pages of the list that could be free and unwritten, beyond the end of the file.
  private var missing: Set<UInt64> = []

  /// Throws `corrupted` when the snapshot needs a page that the file does not have.
  ///
  /// - Parameter transactionID: a snapshot that is pinned, so that nobody writes over its pages meanwhile.
  static func check(_ descriptor: Int32, directory: String, transactionID: UInt64, pageSize: Int) throws {
    let isWhole = try Self.isWhole(descriptor, transactionID: transactionID, pageSize: pageSize)
    if !isWhole {
      throw LMDBError(
        .corrupted, operation: "open the environment at \(directory)", detail: "its data file was cut short")
    }
  }

  private static func isWhole(_ descriptor: Int32, transactionID: UInt64, pageSize: Int) throws -> Bool {
    var status = stat()
    if fstat(descriptor, &status) != 0 {
      throw LMDBError(returnCode: lastSystemError(), operation: "measure the data file")
    }
    let filePages = UInt64(status.st_size) / UInt64(pageSize)
    guard let meta = DataFileMeta(descriptor, of: transactionID, pageSize: pageSize) else { return false }
    let lastPage = meta.lastPage
    if lastPage < filePages { return true }

    var extent = DataFileExtent(
      descriptor: descriptor, pageSize: pageSize, filePages: filePages, lastPage: lastPage)
    guard meta.mainRoot == invalidPage || meta.mainRoot < filePages else { return false }
    guard extent.visit(meta.freeRoot, depth: 0) else { return false }
    return extent.missing.count == lastPage - filePages + 1
  }

  private init(descriptor: Int32, pageSize: Int, filePages: UInt64, lastPage: UInt64) {
    self.descriptor = descriptor
    self.pageSize = pageSize
    self.filePages = filePages
    self.lastPage = lastPage
  }

  private static func read(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
  }

  /// Walks the list of free pages; false when one of its own pages is missing or makes no sense.
  private mutating func visit(_ number: UInt64, depth: Int) -> Bool {
    if number == Self.invalidPage { return true }
    // No tree of LMDB is deeper (CURSOR_STACK in mdb.c); a deeper one is a circle.
    guard number < filePages, depth < 32,
      let page = Self.read(descriptor, at: Int(number) * pageSize, count: pageSize)
    else { return false }
    let flags = page.load(UInt16.self, at: 10)
    let end = Int(page.load(UInt16.self, at: 12))
    guard end >= 16, end <= pageSize else { return false }
    for slot in stride(from: 16, to: end, by: 2) {
      let node = Int(page.load(UInt16.self, at: slot))
      guard node + 8 <= pageSize else { return false }
      let low = UInt64(page.load(UInt32.self, at: node))
      let nodeFlags = page.load(UInt16.self, at: node + 4)
      let isSound =
        switch flags & 3 {
        case Self.branch: visit(low | UInt64(nodeFlags) << 32, depth: depth + 1)
        case Self.leaf: collect(page, node: node, size: Int(low), isBig: nodeFlags & Self.bigData != 0)
        default: false
        }
      guard isSound else { return false }
    }
    return true
  }

  private mutating func collect(_ page: [UInt8], node: Int, size: Int, isBig: Bool) -> Bool {
    let start = node + 8 + Int(page.load(UInt16.self, at: node + 6))
    guard size >= 8, start + (isBig ? 8 : size) <= pageSize else { return false }
    if !isBig { return collect(Array(page[start..<start + size])) }
    let overflow = page.load(UInt64.self, at: start)
    guard overflow < filePages, size <= Int(filePages) * pageSize,
      let list = Self.read(descriptor, at: Int(overflow) * pageSize + 16, count: size)
    else { return false }
    return collect(list)
  }

  private mutating func collect(_ list: [UInt8]) -> Bool {
    let count = Int(truncatingIfNeeded: list.load(UInt64.self, at: 0))
    guard count >= 0, count <= list.count / 8 - 1 else { return false }
    for index in 0..<count {
      let number = list.load(UInt64.self, at: 8 + index * 8)
      if number >= filePages, number <= lastPage { missing.insert(number) }
    }
    return true
  }
}

extension [UInt8] {
  /// The little-endian integer at an offset, which the caller has checked.
  fileprivate func load<Integer: FixedWidthInteger>(_ type: Integer.Type, at offset: Int) -> Integer {
    withRawBytes { $0.load(at: offset, as: type) }
  }
}
