import CLMDB
import ForeignLayouts

/// The way from the root of a tree to one of its leaf pages, from which the next one is found without LMDB, in a tenth
/// of the steps.
///
/// Layout: see ``SnapshotPages`` and ``TreePage``. Nothing is read but pages of the file, whatever they say.
///
/// A pointer file, valid as long as the view of its cursor.
struct LeafPath {
  private struct Branch {
    private let page: UnsafeRawPointer
    private let pageBytes: Int
    let count: Int
    /// The child that the way goes through.
    var place = 0

    init?(_ page: UnsafeRawPointer, pageBytes: Int) {
      guard let count = TreePage.count(of: page, .branch, pageBytes: pageBytes) else { return nil }
      self.page = page
      self.pageBytes = pageBytes
      self.count = count
    }

    /// The number of the child's page.
    var child: UInt64? {
      guard let node = TreePage.node(place, of: page, pageBytes: pageBytes) else { return nil }
      return TreePage.child(of: node)
    }

    /// To the child behind a share of all below; what is left of the share, as one of the child's. Where the children
    /// are branches, their pages say how much is below each: the last one may have little.
    mutating func enter(behind share: Double, _ branches: SnapshotPages?) -> Double? {
      var weights = [Int](repeating: 1, count: count)
      if let branches {
        for child in weights.indices {
          place = child
          guard let page = self.child.flatMap(branches.page), let below = Branch(page, pageBytes: pageBytes) else {
            return nil
          }
          weights[child] = below.count
        }
      }
      var left = share * Double(weights.reduce(0, +))
      place = 0
      while place + 1 < count, left >= Double(weights[place]) {
        left -= Double(weights[place])
        place += 1
      }
      return left / Double(weights[place])
    }

    /// To the child that may have a key. False where a node makes no sense.
    mutating func find(_ key: RawBytes) -> Bool {
      // The first one with a greater key is one of these, or behind them.
      var (low, high) = (1, count)
      while low < high {
        let middle = (low + high) / 2
        guard let least = TreePage.key(middle, of: page, pageBytes: pageBytes) else { return false }
        if least.compare(key) > 0 { high = middle } else { low = middle + 1 }
      }
      place = low - 1
      return true
    }
  }

  static let test = LayoutTest(of: .pages)

  private static let greatestDepth = 32
  private let pages: SnapshotPages
  private var branches: [Branch] = []
  /// Where it leads.
  private(set) var leaf: LeafPage

  /// Costs two look-ups. Nil for a page that is the whole tree, and where anything is not as expected.
  init?(to leaf: LeafPage, of database: Database, in view: TransactionView) throws {
    guard let key = leaf.key(at: 0), let record = try view.get(.main, key: Array(database.name.utf8)),
      let root = SnapshotPages.root(record),
      let pages = try SnapshotPages(around: record, pageBytes: leaf.byteCount, view.transaction)
    else { return nil }
    self.pages = pages
    self.leaf = leaf
    var page = pages.page(root)
    while page != leaf.start {
      guard let current = page, branches.count < Self.greatestDepth,
        var branch = Branch(current, pageBytes: pages.pageBytes), branch.find(key)
      else { return nil }
      page = branch.child.flatMap(pages.page)
      branches.append(branch)
    }
    if branches.isEmpty { return nil }
  }

  /// To a leaf page before which about so large a share of the tree lies, from 0 to below 1. Nil for a tree of one
  /// page, and where anything is not as expected.
  init?(behind share: Double, root: UInt64, depth: Int, _ pages: SnapshotPages) {
    self.pages = pages
    var share = share
    var page = pages.page(root)
    for height in (1..<depth).reversed() {
      guard let current = page, var branch = Branch(current, pageBytes: pages.pageBytes),
        let rest = branch.enter(behind: share, height > 1 ? pages : nil)
      else { return nil }
      share = rest
      page = branch.child.flatMap(pages.page)
      branches.append(branch)
    }
    guard let page, !branches.isEmpty else { return nil }
    leaf = LeafPage(page, pageBytes: pages.pageBytes)
    if leaf.count == 0 { return nil }
  }

  /// To the leaf page before or behind this one. Nil at the end of the tree, and where a page makes no sense; then the
  /// way leads nowhere any more.
  mutating func step(by distance: Int) -> LeafPage? {
    guard let turn = branches.lastIndex(where: { (0..<$0.count).contains($0.place + distance) }) else { return nil }
    branches[turn].place += distance
    for level in branches.indices[turn...] {
      guard let number = branches[level].child, let child = pages.page(number) else { return nil }
      if level + 1 == branches.count {
        leaf = LeafPage(child, pageBytes: pages.pageBytes)
        bringNear(leafBehind: distance)
        return leaf
      }
      guard var branch = Branch(child, pageBytes: pages.pageBytes) else { return nil }
      branch.place = distance > 0 ? 0 : branch.count - 1
      branches[level + 1] = branch
    }
    return nil
  }

  /// Has the processor load the leaf page after this one while this one is read: a scan of more than its nearest memory
  /// holds would wait at each record. Nothing happens for a page that is not in memory.
  private func bringNear(leafBehind distance: Int) {
    // A path has a branch.
    var branch = branches[branches.count - 1]
    branch.place += distance
    guard branch.place >= 0, branch.place < branch.count, let number = branch.child, let page = pages.page(number)
    else { return }
    for line in 0..<pages.pageBytes / Self.lineBytes { anticipate(page + line * Self.lineBytes) }
  }

  /// The unit in which most processors load; where it is more, some is asked for twice.
  private static let lineBytes = 64

  /// Whether LMDB steps from a key to the same entry at the same place in memory.
  static func agrees(_ next: Cursor.Entry, after key: RawBytes, by distance: Int, with cursor: OpaquePointer) throws
    -> Bool
  {
    guard try LeafPage.move(cursor, MDB_SET_KEY, from: key) != nil else { return false }
    return try LeafPage.move(cursor, distance > 0 ? MDB_NEXT : MDB_PREV).map(next.isSameMemory) ?? false
  }
}
