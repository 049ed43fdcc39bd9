import CLMDB
import ForeignLayouts

/// A part of one tree of a snapshot, which another thread than the transaction's may walk.
///
/// LMDB lends a transaction to one thread at a time. The pages of a snapshot do not change, so that any number of
/// threads can read them where they lie in the map, while the transaction's own thread keeps the snapshot.
///
/// 1. The parts of a tree do not overlap, and each gives its entries in the order of their keys.
/// 2. Nothing is read but pages of the file, whatever the tree's pages say.
/// 3. A part ends early where it meets an entry that it does not understand, such as a value that has pages of its own.
///    So all entries were there only if the ``count`` of all parts together is that of the tree.
///
/// Layout: see ``TreePage``. A pointer file, valid as long as the view.
package struct TreePart {
  private var path: LeafPath
  /// Where the next part begins; nil for the last one.
  private let end: UnsafeRawPointer?
  @usableFromInline var page: LeafPage
  @usableFromInline var place = -1
  /// The number of entries that were given, once the last one was.
  package private(set) var count = 0

  private init(_ path: LeafPath, before end: UnsafeRawPointer?) {
    self.path = path
    self.end = end
    page = path.leaf.start == end ? LeafPage() : path.leaf
  }

  @inlinable
  package mutating func next() -> Cursor.Entry? {
    place &+= 1
    return page.entry(at: place) ?? enterNextPage()
  }

  @usableFromInline
  mutating func enterNextPage() -> Cursor.Entry? {
    let left = page
    page = LeafPage()
    guard left.count > 0 else { return nil }
    count += place
    // In the middle of a page LMDB must say.
    guard place == left.count, let next = path.step(by: 1), next.start != end else { return nil }
    page = next
    place = 0
    return page.entry(at: 0) ?? enterNextPage()
  }

  /// About equal parts of a tree, in its order. Nil where LMDB has to be asked for its entries: in a write transaction,
  /// where LMDB's pages are not read, and of a tree of one page or with values that have pages of their own.
  package static func parts(_ count: Int, of database: Database, in view: TransactionView) throws -> [TreePart]? {
    let statistics = try view.statistics(database)
    guard ForeignLayout.pages.isOn, view.state.pointee.isPooled, database.section == nil, statistics.depth > 1,
      statistics.overflowPages == 0, let record = try view.get(.main, key: Array(database.name.utf8)),
      let root = SnapshotPages.root(record),
      let pages = try SnapshotPages(around: record, pageBytes: statistics.pageSizeBytes, view.transaction)
    else { return nil }
    let paths = (0..<count).compactMap {
      LeafPath(behind: Double($0) / Double(count), root: root, depth: statistics.depth, pages)
    }
    guard paths.count == count, try isRight(paths[0], database, view) else { return nil }
    return paths.indices.map { TreePart(paths[$0], before: $0 + 1 < count ? paths[$0 + 1].leaf.start : nil) }
  }

  /// Whether LMDB finds the same in the first page, and the same behind it.
  private static func isRight(_ path: LeafPath, _ database: Database, _ view: TransactionView) throws -> Bool {
    guard try LeafPage.test.passes({ try path.leaf.agrees(with: database, in: view) }) else { return false }
    return try LeafPath.test.passes {
      var next = path
      guard let last = path.leaf.key(at: path.leaf.count - 1), let entry = next.step(by: 1)?.entry(at: 0) else {
        return nil
      }
      return try LeafPage.withCursor(on: database, in: view) { cursor in
        try LeafPath.agrees(entry, after: last, by: 1, with: cursor)
      }
    }
  }
}
