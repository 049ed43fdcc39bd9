import CLMDB

/// Looks keys of sixteen bytes up in one tree of a snapshot, several at a time.
///
/// In a tree larger than the processor's caches a look-up is one wait for memory after another: for each page on the
/// way down, and in it for each key that is compared. Look-ups that go down side by side wait together: each names
/// what it reads next, and until its turn comes again the others go on. LMDB has no such call, so its pages are read
/// here, where they lie in the map.
///
/// Layout: see ``DataFileExtent`` and ``SnapshotPages``. Besides, a branch page's first node stands for all keys below
/// the second's.
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

  private let view: TransactionView
  private let pages: SnapshotPages
  private let root: UnsafeRawPointer
  private let depth: Int

  /// Costs one look-up. Nil where the tree is empty or left to `get`: a writer's changed pages are not in the map. Only
  /// readers come from the pool; those beyond it are few.
  public init?(_ database: Database, in view: TransactionView) throws {
    let statistics = try view.statistics(database)
    guard view.state.pointee.isPooled, statistics.depth > 0,
      let record = try view.get(.main, key: Array(database.name.utf8)), let number = SnapshotPages.root(record),
      let pages = try SnapshotPages(around: record, pageBytes: statistics.pageSizeBytes, view.transaction),
      let root = pages.page(number)
    else { return nil }
    self.view = view
    self.pages = pages
    self.root = root
    depth = statistics.depth
  }

  /// Calls `body` with the place and the value of each key, in their order; with nil where `get` must say. A key is a
  /// number whose bytes, the most significant first, are those in the tree.
  public func find(_ keys: [UInt128], _ body: (Int, RawBytes?) throws -> Void) rethrows {
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
      for place in descents.indices { try body(place, descents[place].value(pages)) }
    }
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
  private static let branchFlags: UInt16 = 1
  private static let leafFlags: UInt16 = 2
  private static let pageHeader = 16
  private static let nodeHeader = 8
  private static let keyBytes = 16
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
    let end = Int(page.load(fromByteOffset: 12, as: UInt16.self))
    guard page.load(fromByteOffset: 10, as: UInt16.self) == (isLeaf ? Self.leafFlags : Self.branchFlags),
      end > Self.pageHeader, end <= pages.pageBytes
    else { return self.page = nil }
    high = (end - Self.pageHeader) >> 1
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
    middle = low < high ? Self.node((low &+ high) >> 1, of: page, pages) : nil
    if let middle { anticipate(middle) }
  }

  /// A node of a page; nil where the page has no room for so many bytes there.
  @inline(__always)
  private static func node(
    _ number: Int, of page: UnsafeRawPointer, _ pages: SnapshotPages, bytes: Int = nodeHeader + keyBytes
  ) -> UnsafeRawPointer? {
    let offset = Int(page.load(fromByteOffset: pageHeader &+ number &* 2, as: UInt16.self))
    return offset <= pages.pageBytes &- bytes ? page + offset : nil
  }

  @inline(__always)
  private static func key(of node: UnsafeRawPointer) -> UInt128 {
    UInt128(bigEndian: node.loadUnaligned(fromByteOffset: nodeHeader, as: UInt128.self))
  }

  /// Down to the page that may have the key.
  @inline(__always)
  mutating func enterChild(_ pages: SnapshotPages) {
    // The first one has no key.
    guard let parent = page, let node = Self.node(low &- 1, of: parent, pages, bytes: Self.nodeHeader) else {
      return page = nil
    }
    let number =
      UInt64(node.loadUnaligned(as: UInt32.self)) | UInt64(node.loadUnaligned(fromByteOffset: 4, as: UInt16.self)) << 32
    page = pages.page(number)
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
    guard low > 0, let page, let node = Self.node(low &- 1, of: page, pages) else { return nil }
    let start = Self.nodeHeader + Self.keyBytes
    let count = Int(node.loadUnaligned(as: UInt32.self))
    guard node.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0,
      Int(node.loadUnaligned(fromByteOffset: 6, as: UInt16.self)) == Self.keyBytes, Self.key(of: node) == key,
      count <= pages.pageBytes - (node - page) - start
    else { return nil }
    return RawBytes(start: node + start, count: count)
  }
}
