import CLMDB
import ForeignLayouts

/// Looks keys of sixteen bytes up in one tree of a snapshot, several at a time.
///
/// In a tree larger than the processor's caches a look-up is one wait for memory after another: for each page on the
/// way down, and in it for each key that is compared. Look-ups that go down side by side wait together: each names
/// what it reads next, and until its turn comes again the others go on. LMDB has no such call, so its pages are read
/// here, where they lie in the map.
///
/// Layout: see `SnapshotPages` and `TreePage`.
///
/// 1. A value is given for exactly the key that was asked for, from the snapshot's own tree.
/// 2. Nothing is read but pages of the file, whatever the tree's pages say.
/// 3. No value says nothing: `get` knows whether there is none, or one that is not understood here, as those that
///    have pages of their own.
///
/// A pointer file, valid as long as its view.
public struct TreeSearch {
  /// The most keys at a time; more would not wait less.
  public static let maximumCount = 16

  private static let test = LayoutTest(of: .pages)

  /// Where LMDB is asked beside the first search.
  var database: Database
  private let view: TransactionView
  private let pages: SnapshotPages
  private let root: UnsafeRawPointer
  private let depth: Int

  /// Costs one look-up. Nil where the tree is empty or left to `get`: a writer's changed pages are not in the map. Only
  /// readers come from the pool; those beyond it are few. Nil, too, where LMDB's pages are not read.
  public init?(_ database: Database, in view: TransactionView) throws {
    precondition(database.section == nil, "a search reads whole trees")
    guard ForeignLayout.pages.isOn else { return nil }
    let statistics = try view.statistics(database)
    guard view.state.pointee.isPooled, statistics.depth > 0,
      let record = try view.get(.main, key: Array(database.name.utf8)), let number = SnapshotPages.root(record),
      let pages = try SnapshotPages(around: record, pageBytes: statistics.pageSizeBytes, view.transaction),
      let root = pages.page(number)
    else { return nil }
    self.database = database
    self.view = view
    self.pages = pages
    self.root = root
    depth = statistics.depth
  }

  /// Calls `body` with the place and the value of each key, in their order; with nil where `get` must say. A key is a
  /// number whose bytes, the most significant first, are those in the tree.
  public func find(_ keys: [UInt128], _ body: (Int, RawBytes?) throws -> Void) throws {
    view.assertAlive()
    precondition(keys.count <= Self.maximumCount, "a search has at most \(Self.maximumCount) keys")
    try withUnsafeTemporaryAllocation(of: TreeDescent.self, capacity: keys.count) { descents in
      for (place, key) in keys.enumerated() {
        descents.initializeElement(at: place, to: TreeDescent(key: key, page: root))
      }
      for _ in 1..<depth {
        search(descents, isLeaf: false)
        for place in descents.indices { descents[place].enterChild(pages) }
      }
      search(descents, isLeaf: true)
      for place in descents.indices { descents[place].anticipateValue(pages) }
      let isRight = try Self.test.passes {
        try Self.agrees(Array(zip(keys, descents.map { $0.value(pages) })), with: database, in: view)
      }
      for place in descents.indices { try body(place, isRight ? descents[place].value(pages) : nil) }
    }
  }

  /// Whether LMDB gives the same values, at the same places in memory. Nil where none was found.
  static func agrees(
    _ found: [(UInt128, RawBytes?)], with database: Database, in view: TransactionView
  ) throws -> Bool? {
    var hasFound = false
    for case (let key, let value?) in found {
      hasFound = true
      let bytes = withUnsafeBytes(of: key.bigEndian) { Array($0) }
      guard try view.get(database, key: bytes)?.isSameMemory(value) == true else { return false }
    }
    return hasFound ? true : nil
  }

  /// Finds each descent's place in its page, by turns.
  private func search(_ descents: UnsafeMutableBufferPointer<TreeDescent>, isLeaf: Bool) {
    for place in descents.indices { descents[place].begin(pages, isLeaf: isLeaf) }
    var goesOn = true
    while goesOn {
      goesOn = false
      for place in descents.indices where descents[place].step(pages) { goesOn = true }
    }
  }
}

/// One key's way down.
private struct TreeDescent {
  private static let keyBytes = 16
  private static let nodeBytes = TreePage.nodeHeaderBytes + keyBytes
  private static let lineBytes = 64
  /// As many bytes of a value are named beforehand; behind them the processor sees itself where reading leads.
  private static let anticipatedBytes = 512

  private let key: UInt128
  /// Nil once the page made no sense.
  private var page: UnsafeRawPointer?
  /// The first node with a greater key is one of these, or behind them.
  private var low = 0
  private var high = 0
  /// The one in the middle of these; nil if there is none.
  private var middle: UnsafeRawPointer?

  init(key: UInt128, page: UnsafeRawPointer) {
    self.key = key
    self.page = page
  }

  @inline(__always)
  mutating func begin(_ pages: SnapshotPages, isLeaf: Bool) {
    low = isLeaf ? 0 : 1
    guard let page else { return }
    guard let count = TreePage.count(of: page, isLeaf ? .leaf : .branch, pageBytes: pages.pageBytes) else {
      return self.page = nil
    }
    high = count
    anticipateMiddle(of: page, pages)
  }

  /// Halves what is left of the page; false where nothing was.
  @inline(__always)
  mutating func step(_ pages: SnapshotPages) -> Bool {
    guard let middle, let page else { return false }
    let number = (low &+ high) >> 1
    // By masks: half of the branches here would be foreseen wrongly.
    let isGreater = Self.key(of: middle) > key ? -1 : 0
    low = low & isGreater | (number &+ 1) & ~isGreater
    high = number & isGreater | high & ~isGreater
    anticipateMiddle(of: page, pages)
    return true
  }

  @inline(__always)
  private mutating func anticipateMiddle(of page: UnsafeRawPointer, _ pages: SnapshotPages) {
    middle =
      low < high
      ? TreePage.node((low &+ high) >> 1, of: page, pageBytes: pages.pageBytes, bytes: Self.nodeBytes) : nil
    if let middle { anticipate(middle) }
  }

  @inline(__always)
  private static func key(of node: UnsafeRawPointer) -> UInt128 {
    UInt128(bigEndian: node.loadUnaligned(fromByteOffset: TreePage.nodeHeaderBytes, as: UInt128.self))
  }

  /// Down to the page that may have the key.
  @inline(__always)
  mutating func enterChild(_ pages: SnapshotPages) {
    // The first one has no key.
    guard let parent = page, let node = TreePage.node(low &- 1, of: parent, pageBytes: pages.pageBytes) else {
      return page = nil
    }
    page = pages.page(TreePage.child(of: node))
    if let page { anticipate(page) }
  }

  @inline(__always)
  func anticipateValue(_ pages: SnapshotPages) {
    guard let value = value(pages) else { return }
    for offset in stride(from: 0, to: min(value.count, Self.anticipatedBytes), by: Self.lineBytes) {
      anticipate(value.start + offset)
    }
  }

  /// The value under the key, if it lies whole in the page.
  @inline(__always)
  func value(_ pages: SnapshotPages) -> RawBytes? {
    guard low > 0, let page,
      let node = TreePage.node(low &- 1, of: page, pageBytes: pages.pageBytes, bytes: Self.nodeBytes)
    else { return nil }
    let count = Int(node.loadUnaligned(as: UInt32.self))
    guard node.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0,
      TreePage.keyBytes(of: node) == Self.keyBytes, Self.key(of: node) == key,
      count <= pages.pageBytes - (node - page) - Self.nodeBytes
    else { return nil }
    return RawBytes(start: node + Self.nodeBytes, count: count)
  }
}
