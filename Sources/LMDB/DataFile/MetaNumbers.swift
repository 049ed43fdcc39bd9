import CLMDB

/// Tells whether the numbers of both meta pages are those under which they were written.
///
/// LMDB takes the page with the greater number for that of the last commit, and has no checksum there. A bit that flips
/// in a number can make the older page the newer one; then the last commit would be gone without a word. But the number
/// stands in the file a second time: each commit writes the first page of the list of databases anew, so it frees the
/// former one, and enters that under its own number as the last of the list of free pages (mdb.c, mdb_freelist_save).
/// In what LMDB writes, this holds:
///
/// 1. The first page has an even number, the second one an odd number. In a new file both have 0.
/// 2. The list of the page with the greater number ends no earlier than that of the other one: a commit that frees
///    nothing leaves the list as it was.
/// 3. The list of the page with the smaller number does not end with the number that follows the greater one. There is
///    one exception: when the write of a meta page fails, LMDB gives the page its former number back, and nothing else
///    (mdb.c, mdb_env_write_meta).
///
/// Beside a writer, a page that two looks find the same was not written over between them, and so neither was its list:
/// a commit takes no pages that either of the two last ones uses.
struct MetaNumbers {
  /// The page of the last commit first.
  let metas: [DataFileMeta]
  /// Whether no number was found to be wrong. True where too little can be read to tell.
  let areTrue: Bool

  /// - Parameters:
  ///   - metas: those that are sound, in the order of their pages.
  ///   - page: reads a page of the file; nil where it is none.
  init(_ metas: [DataFileMeta], page: (UInt64) throws -> DataFilePage?) rethrows {
    guard metas.count == 2 else {
      (self.metas, areTrue) = (metas, true)
      return
    }
    let found = try metas.map { (number: $0.transactionID, listed: try Self.lastListed(of: $0, page)) }
    let isTrue = [0, 1].map { Self.isTrue(found[$0], beside: found[1 - $0], page: UInt64($0)) }
    let numbers = zip(found, isTrue).map { $1 ? $0.number : $0.listed ?? $0.number }
    self.metas = numbers[0] < numbers[1] ? metas.reversed() : metas
    areTrue = !isTrue.contains(false)
  }

  private typealias Number = (number: UInt64, listed: UInt64?)

  private static func isTrue(_ own: Number, beside other: Number, page: UInt64) -> Bool {
    if own.number & 1 != page, own.number != 0 { return false }
    // LMDB lends numbers to what counts with signs, and no file has come so far.
    if own.number > UInt64(Int64.max) { return false }
    guard let listed = own.listed else { return true }
    if own.number > other.number { return other.listed != other.number || listed >= other.number }
    return listed <= own.number || listed != other.number &+ 1 || own.number == max(other.number, 1) - 1
  }

  /// The last number in a commit's list of free pages; nil where it cannot be read. The first commit frees nothing, nor
  /// has a compacted copy free pages: its number is 1.
  private static func lastListed(
    of meta: DataFileMeta, _ page: (UInt64) throws -> DataFilePage?
  ) rethrows -> UInt64? {
    if meta.freeRoot == DataFileSurvey.noPage { return meta.mainRoot == DataFileSurvey.noPage ? 0 : 1 }
    var number = meta.freeRoot
    for _ in 0..<DataFileSurvey.greatestDepth {
      guard let found = try page(number), found.isIntact, let last = found.nodes.last else { return nil }
      switch last.content {
      case .child(let child): number = child
      case .value, .overflow:
        return last.key.count == 8 ? found.bytes.number(UInt64.self, at: last.key.lowerBound) : nil
      case .database: return nil
      }
    }
    return nil
  }
}

// At an opening.
extension MetaNumbers {
  private static let lookCount = 10
  private static let pauseMicroseconds: UInt32 = 10_000

  /// Throws `corrupted` where the number of a meta page is wrong. Costs two system calls, and in half of all openings
  /// one or two more.
  ///
  /// A look may meet a page that is half written. So a wrong number counts once it has stood still for a tenth of a
  /// second; where another process commits meanwhile, LMDB takes the last number from that process.
  static func requireTrue(_ descriptor: Int32, directory: String) throws {
    guard let suspects = try suspects(descriptor) else { return }
    for _ in 0..<lookCount {
      usleep(pauseMicroseconds)
      guard try Self.suspects(descriptor) == suspects else { return }
    }
    throw LMDBError(
      .corrupted, operation: "open the environment at \(directory)",
      detail: "the number of one of its two last commits is damaged, so an older one would be taken for the last")
  }

  /// Both pages where a number is wrong and no commit came meanwhile; nil else.
  private static func suspects(_ descriptor: Int32) throws -> [DataFileMeta]? {
    let metas = try DataFileMeta.all(descriptor)
    guard metas.count == 2, case let size = metas[0].pageSize, DataFilePages.isPageSize(size) else { return nil }
    func page(_ number: UInt64) throws -> DataFilePage? {
      guard let number = Int(exactly: number), number < Int.max / size - 1 else { return nil }
      let bytes = try DataFileMeta.read(descriptor, at: number * size, count: size)
      return bytes.flatMap { DataFilePage($0, number: UInt64(number)) }
    }
    if try arePlainlyTrue(metas, page) || MetaNumbers(metas, page: page).areTrue { return nil }
    return try DataFileMeta.all(descriptor) == metas ? metas : nil
  }

  /// Whether one number follows the other, as in nearly all files, and the greater one is true. A flipped bit can only
  /// have added 2 to the older number then, which sets the bit that stands for 2.
  private static func arePlainlyTrue(
    _ metas: [DataFileMeta], _ page: (UInt64) throws -> DataFilePage?
  ) rethrows -> Bool {
    let (even, odd) = (metas[0].transactionID, metas[1].transactionID)
    guard even & 1 == 0, odd & 1 == 1, max(even, odd) - min(even, odd) == 1 else { return false }
    let newest = even < odd ? metas[1] : metas[0]
    return try newest.transactionID & 2 == 0 || lastListed(of: newest, page) == newest.transactionID
  }
}
