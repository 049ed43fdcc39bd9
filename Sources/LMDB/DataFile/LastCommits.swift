import CLMDB

/// The two last commits as the meta pages of a data file name them, and whether that can be true.
///
/// LMDB has no checksum there, and takes the page with the greater number for that of the last commit. A bit that flips
/// can make the older page the newer one, or lead to the trees of an older state: then saves would be gone without a
/// word. It can also lead to an older list of free pages, or lower the last page: then the next commit would write over
/// pages that are in use. But most of this stands in the file a second time. Each commit writes the first page of the
/// list of databases anew, so it frees the former one, and enters that under its own number as the last of the list of
/// free pages (mdb.c, mdb_freelist_save). In what LMDB writes, this holds:
///
/// 1. The first page has an even number, the second one an odd number. In a new file both have 0.
/// 2. The list of the page with the greater number ends no earlier than that of the other one: a commit that frees
///    nothing leaves the list as it was.
/// 3. The list of the page with the smaller number does not end with the number that follows the greater one. There is
///    one exception: when the write of a meta page fails, LMDB gives the page its former number and last page back, and
///    nothing else (mdb.c, mdb_env_write_meta).
/// 4. Where the numbers follow each other and the older commit has databases, the list of the newer one ends with its
///    own number.
/// 5. A commit that precedes the older one has its list of databases on a page that the older one frees. So where the
///    numbers follow each other and the list of the newer one is that of an older commit, it tells what is wrong: the
///    number, or the way to the list.
/// 6. The newer commit's list of databases begins on a page of a tree that is not free.
/// 7. The roots lie between the first two pages and the last one, the last page never moves to the front, and no map is
///    larger than 2^47 bytes.
/// 8. Both have the same size of pages, a power of 2.
///
/// Beside a writer, a page that two looks find the same was not written over between them, and so neither was its list:
/// a commit takes no pages that either of the two last ones uses.
struct LastCommits {
  /// A rule that is broken, as the end of a sentence. Raw values are shown to users.
  enum Flaw: String {
    case pageSize = "the size of its pages is damaged"
    case number = "the number of one of its two last commits is damaged, so an older one would be taken for the last"
    case root = "the page of its last commit leads to an older state, or behind the end of the file"
    case freePages = "the page of its last commit does not lead to the list of free pages"
    case lastPage = "the page of its last commit names a wrong last page"
  }

  /// The page of the last commit first.
  let metas: [DataFileMeta]
  /// Nil where no rule was found to be broken, and where too little can be read to tell.
  let flaw: Flaw?

  /// - Parameters:
  ///   - metas: those that are sound, in the order of their pages.
  ///   - page: reads a page of the file; nil where it is none.
  init(_ metas: [DataFileMeta], page: (UInt64) throws -> DataFilePage?) rethrows {
    guard metas.count == 2 else {
      (self.metas, flaw) = (metas, nil)
      return
    }
    let greater = metas[0].transactionID < metas[1].transactionID ? 1 : 0
    let (newer, older) = (metas[greater], metas[1 - greater])
    if let flaw = Self.mapFlaw(of: metas) {
      (self.metas, self.flaw) = ([newer, older], flaw)
      return
    }
    let list = try FreePageListEnd(of: newer, page)
    if newer.follows(older), newer.isOnPage(greater), list.number == newer.transactionID {
      (self.metas, flaw) = ([newer, older], try Self.flaw(newer, list, older, page))
      return
    }
    let olderList = try FreePageListEnd(of: older, page)
    let lists = (list.number, olderList.number)
    let newerIsTrue = newer.isOnPage(greater) && Self.isTrue(newer, lists.0, after: older, lists.1)
    let olderIsTrue = older.isOnPage(1 - greater) && Self.isTrue(older, lists.1, before: newer)
    if newerIsTrue, olderIsTrue {
      (self.metas, flaw) = ([newer, older], try Self.flaw(newer, list, older, page))
      return
    }
    if olderIsTrue, newer.follows(older), newer.isOnPage(greater), !olderList.mayFollow(newer) {
      (self.metas, flaw) = ([newer, older], .freePages)
      return
    }
    let numbers = (
      newerIsTrue ? newer.transactionID : lists.0 ?? newer.transactionID,
      olderIsTrue ? older.transactionID : lists.1 ?? older.transactionID
    )
    (self.metas, flaw) = (numbers.0 < numbers.1 ? [older, newer] : [newer, older], .number)
  }

  private static let greatestMapBytes: UInt64 = 1 << 47

  /// Whether LMDB can map the file by what both pages say.
  private static func mapFlaw(of metas: [DataFileMeta]) -> Flaw? {
    let size = metas[0].pageSize
    guard size == metas[1].pageSize, DataFilePages.isPageSize(size) else { return .pageSize }
    return metas.contains { $0.lastPage >= greatestMapBytes / UInt64(size) } ? .lastPage : nil
  }

  private static func isTrue(
    _ newer: DataFileMeta, _ listed: UInt64?, after older: DataFileMeta, _ olderListed: UInt64?
  ) -> Bool {
    guard let listed, newer.transactionID > older.transactionID else { return true }
    return olderListed != older.transactionID || listed >= older.transactionID
  }

  private static func isTrue(_ older: DataFileMeta, _ listed: UInt64?, before newer: DataFileMeta) -> Bool {
    guard let listed else { return true }
    let (own, other) = (older.transactionID, newer.transactionID)
    return listed <= own || listed != other &+ 1 || own == max(other, 1) - 1
  }

  /// The first of the rules from the fourth on that the last commit breaks.
  private static func flaw(
    _ newer: DataFileMeta, _ list: FreePageListEnd, _ older: DataFileMeta, _ page: (UInt64) throws -> DataFilePage?
  ) rethrows -> Flaw? {
    if newer.lastPage < older.lastPage { return .lastPage }
    let freesPages = newer.follows(older) && older.transactionID > 0 && older.mainRoot != DataFileSurvey.noPage
    if newer.freeRoot != DataFileSurvey.noPage, !newer.reaches(newer.freeRoot) { return .freePages }
    if freesPages, list.number != newer.transactionID { return .freePages }
    if newer.mainRoot == DataFileSurvey.noPage { return nil }
    guard newer.reaches(newer.mainRoot), newer.mainRoot != newer.freeRoot, !list.contains(newer.mainRoot),
      try page(newer.mainRoot)?.isOfTree == true
    else { return .root }
    return nil
  }
}

extension DataFileMeta {
  fileprivate func follows(_ older: DataFileMeta) -> Bool { transactionID &- older.transactionID == 1 }

  /// LMDB lends numbers to what counts with signs, and no file has come so far.
  fileprivate func isOnPage(_ page: Int) -> Bool {
    transactionID == 0 || transactionID & 1 == page && transactionID <= UInt64(Int64.max)
  }

  fileprivate func reaches(_ root: UInt64) -> Bool { root > 1 && root <= lastPage }
}

// At an opening.
extension LastCommits {
  private static let lookCount = 10
  private static let pauseMicroseconds: UInt32 = 10_000

  /// Throws `corrupted` where LMDB could not map the file. Costs nothing.
  ///
  /// - Parameter metas: both meta pages as they were read a moment ago.
  static func requireMappable(_ metas: [DataFileMeta], _ descriptor: Int32, directory: String) throws {
    if metas.count == 2 { try refuse(mapFlaw(of: metas), metas, descriptor, directory) }
  }

  /// Throws `corrupted` where a rule is broken. Costs two system calls, mostly.
  ///
  /// - Parameter metas: both meta pages as they were read a moment ago.
  static func requireTrue(_ metas: [DataFileMeta], _ descriptor: Int32, directory: String) throws {
    try refuse(flaw(of: metas, descriptor), metas, descriptor, directory)
  }

  /// A look may meet a page that is half written. So a flaw counts once it has stood still for a tenth of a second;
  /// where another process commits meanwhile, LMDB takes the last number from that process.
  private static func refuse(
    _ flaw: Flaw?, _ metas: [DataFileMeta], _ descriptor: Int32, _ directory: String
  ) throws {
    guard let flaw else { return }
    for _ in 0..<lookCount {
      if try DataFileMeta.all(descriptor) != metas { return }
      usleep(pauseMicroseconds)
    }
    throw LMDBError(.corrupted, operation: "open the environment at \(directory)", detail: flaw.rawValue)
  }

  private static func flaw(of metas: [DataFileMeta], _ descriptor: Int32) throws -> Flaw? {
    try LastCommits(metas) { number in
      let size = metas[0].pageSize
      guard let number = Int(exactly: number), number < Int.max / size - 1 else { return nil }
      let bytes = try DataFileMeta.read(descriptor, at: number * size, count: size)
      return bytes.flatMap { DataFilePage($0, number: UInt64(number)) }
    }.flaw
  }
}
