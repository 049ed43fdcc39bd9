import CLMDB

/// Which pages of the data file the trees of one snapshot consist of.
///
/// LMDB never changes a page where it lies: a commit writes every page from a changed leaf to its root to another
/// place. So what a commit has written is what its census has and the census before does not, and that says what a
/// save costs the device and which tree it is spent on. `tools/bench --instructions` prints it.
///
/// ```swift
/// let before = try environment.pageCensus()
/// try environment.write { try $0.put(people, key: Array("Ada".utf8), value: Array("Lovelace".utf8)) }
/// let written = try environment.pageCensus().written(since: before)
/// print(written.pageCount, written.rangeCount, written.pagesByTree)
/// ```
///
/// Layout: see `DataFileMeta` and `TreePage`. The main tree has 48 bytes of each database under its name: 6 the
/// depth in 2 bytes, then in 8 each 8 the number of branch pages, 16 of leaf pages, 24 of overflow pages, 40 the root.
/// The pages come from the file, by plain reads.
///
/// Cost: one read for each branch page, and for each leaf page of a tree that has values too large for a leaf.
public struct PageCensus: Sendable, Hashable {
  /// The name under which the list of databases stands among the trees.
  public static let databaseList = "(databases)"
  /// The name under which the list of free pages stands among the trees.
  public static let freeList = "(free pages)"
  /// The name under which the page that makes a commit valid stands among the trees.
  public static let metaPage = "(meta page)"

  /// The commit that was looked at.
  public let transactionID: UInt64
  /// The numbers of each tree's pages, by the database's name or one of the three names above.
  public private(set) var pagesByTree: [String: Set<UInt64>]

  /// The pages that one commit has written.
  public struct Written: Sendable, Hashable {
    /// The numbers of the pages by tree; trees without any are left out.
    public let pagesByTree: [String: Set<UInt64>]
    /// The number of pages, over all trees.
    public var pageCount: Int { pagesByTree.values.reduce(0) { $0 + $1.count } }

    /// Stretches of pages that follow each other, each of which LMDB hands to the system at once. The meta page goes
    /// alone.
    public var rangeCount: Int {
      let data = pagesByTree.filter { $0.key != PageCensus.metaPage }.values.reduce(into: Set()) { $0.formUnion($1) }
      return data.count { !data.contains($0 &- 1) } + (pagesByTree[PageCensus.metaPage]?.count ?? 0)
    }
  }

  /// The pages that one of some commits writes on average.
  public struct Average: Sendable, Hashable {
    /// The number of pages of a commit.
    public let pages: Double
    /// See ``Written/rangeCount``.
    public let ranges: Double
    /// The number of pages of a commit by tree.
    public let pagesByTree: [String: Double]

    /// Creates averages from their parts.
    public init(pages: Double, ranges: Double, pagesByTree: [String: Double]) {
      (self.pages, self.ranges, self.pagesByTree) = (pages, ranges, pagesByTree)
    }
  }

  /// The pages that were written by the one commit between this census and an earlier one.
  ///
  /// After several commits it is what they have left behind: a page that one of them wrote and another one gave back is
  /// not counted, and a page that a tree gave back and got again is not told from one that was left alone.
  public func written(since before: PageCensus) -> Written {
    var written = pagesByTree
    for (name, pages) in before.pagesByTree where name != Self.metaPage { written[name]?.subtract(pages) }
    if transactionID == before.transactionID { written[Self.metaPage] = nil }
    return Written(pagesByTree: written.filter { !$0.value.isEmpty })
  }
}

extension Environment {
  /// Counts the pages of the newest commit, by tree.
  ///
  /// Throws `corrupted` when a tree's pages are not as many as it says, and the system's errors.
  public func pageCensus() throws -> PageCensus {
    while true {
      let census = try read { transaction in
        try PageCensus(DataFilePages(directory: path), transactionID: transaction.view.id)
      }
      // Two commits later its meta page is another's. Then there is a newer snapshot.
      if let census { return census }
    }
  }

  /// Runs `commit` so many times, which makes one commit each time, and says what it writes on average.
  ///
  /// Throws what ``pageCensus()`` and `commit` throw. No one else may commit meanwhile.
  public func averagePagesWritten(commits: Int, by commit: () throws -> Void) throws -> PageCensus.Average {
    var (pages, ranges) = (0, 0)
    var byTree: [String: Int] = [:]
    var census = try pageCensus()
    for _ in 0..<commits {
      try commit()
      let next = try pageCensus()
      let written = next.written(since: census)
      pages += written.pageCount
      ranges += written.rangeCount
      byTree.merge(written.pagesByTree.mapValues(\.count), uniquingKeysWith: +)
      census = next
    }
    func average(_ count: Int) -> Double { Double(count) / Double(commits) }
    return PageCensus.Average(
      pages: average(pages), ranges: average(ranges), pagesByTree: byTree.mapValues(average))
  }
}

extension PageCensus {
  /// Nil when the meta page is already that of a later commit.
  fileprivate init?(_ file: DataFilePages, transactionID: UInt64) throws {
    guard let meta = file.metas.first(where: { $0.transactionID == transactionID }) else { return nil }
    self.transactionID = transactionID
    pagesByTree = [Self.metaPage: [transactionID & 1]]
    pagesByTree[Self.freeList] = try TreeWalk(of: meta.free, in: file, readsLeaves: meta.free.overflowPages > 0).pages
    let list = try TreeWalk(of: meta.main, in: file, readsLeaves: true)
    pagesByTree[Self.databaseList] = list.pages
    for (name, tree) in list.databases {
      pagesByTree[name] = try TreeWalk(of: tree, in: file, readsLeaves: tree.overflowPages > 0).pages
    }
  }
}

extension DataFileMeta {
  fileprivate var free: TreeRecord { TreeRecord(bytes, at: 24) }
  fileprivate var main: TreeRecord { TreeRecord(bytes, at: 72) }
}

/// LMDB's record of one tree.
private struct TreeRecord {
  let depth: Int
  let overflowPages: UInt64
  let pageCount: UInt64
  let root: UInt64

  init(_ bytes: [UInt8], at offset: Int) {
    depth = Int(bytes.number(UInt16.self, at: offset + 6))
    overflowPages = bytes.number(UInt64.self, at: offset + 24)
    pageCount =
      bytes.number(UInt64.self, at: offset + 8) &+ bytes.number(UInt64.self, at: offset + 16) &+ overflowPages
    root = bytes.number(UInt64.self, at: offset + 40)
  }
}

/// The pages of one tree, and the databases that it names.
private struct TreeWalk {
  private let file: DataFilePages
  private let readsLeaves: Bool
  private(set) var pages: Set<UInt64> = []
  private(set) var databases: [(String, TreeRecord)] = []

  /// Leaves need to be read only for databases, and for values that have pages of their own.
  init(of tree: TreeRecord, in file: DataFilePages, readsLeaves: Bool) throws {
    self.file = file
    self.readsLeaves = readsLeaves
    if tree.depth > 0 { try visit(tree.root, levels: tree.depth) }
    guard pages.count == tree.pageCount else { throw trouble() }
  }

  private mutating func visit(_ number: UInt64, levels: Int) throws {
    guard pages.insert(number).inserted else { throw trouble() }
    if levels == 1, !readsLeaves { return }
    guard let page = file.page(number), page.isIntact else { throw trouble() }
    for node in page.nodes {
      switch node.content {
      case .child(let child) where levels > 1: try visit(child, levels: levels - 1)
      case .overflow(let first, _) where levels == 1: try visitOverflow(first)
      case .database(let place) where levels == 1:
        databases.append(
          (String(decoding: page.bytes[node.key], as: UTF8.self), TreeRecord(page.bytes, at: place.lowerBound)))
      case .value where levels == 1: break
      default: throw trouble()
      }
    }
  }

  private mutating func visitOverflow(_ first: UInt64) throws {
    guard case .overflow(let count)? = file.page(first)?.kind else { throw trouble() }
    for number in first..<first + UInt64(count) where !pages.insert(number).inserted { throw trouble() }
  }

  private func trouble() -> LMDBError {
    file.failure ?? LMDBError(.corrupted, operation: "count pages", detail: "a tree of the data file makes no sense")
  }
}
