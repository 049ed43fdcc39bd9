/// Reads every page of a data file that may be damaged: first along its trees, then all that lies beside them.
///
/// LMDB has no checksums of pages, and a damaged one can end the process that follows it. Here each page is checked
/// before it is used (``DataFilePage``), and its keys against what its parent says, so that damage is found and
/// walked around.
///
/// Each page is of one kind, which tells how current its entries are: in a tree; listed as free, so of an older
/// state; or in neither. A page in neither hung on a parent that is destroyed, if the list of free pages is whole: it
/// is as current as the trees. Otherwise it may be either.
package final class DataFileSurvey {
  package enum Place: Hashable, Sendable {
    /// In the tree of the named database.
    case table(String)
    /// Beside the names of the databases.
    case list
    /// In no tree and not free: its parent is destroyed.
    case lost
    /// Free, or perhaps free: an older state.
    case former
  }

  /// The file's word on a named database.
  private struct Table {
    let name: String
    let root: UInt64
    let entries: UInt64
  }

  private enum Use: UInt8 {
    case unknown
    case used
    case free
  }

  /// A page that a tree leads to and that is listed as free.
  private struct Claim {
    let page: UInt64
    let table: String
    let lowest: [UInt8]
    let end: [UInt8]?
    let depth: Int
  }

  package typealias Visit = (Place, _ key: RawBytes, _ value: RawBytes) throws -> Void
  static let noPage = UInt64.max
  /// No tree of LMDB is deeper (CURSOR_STACK in mdb.c); a deeper one is a circle.
  static let greatestDepth = 32

  private let pages: DataFilePages
  /// The commit whose state is read; nil where no meta page is readable.
  private let meta: DataFileMeta?
  /// Let go when all is read, as ``progress`` is: either may hold the survey's owner.
  private var visit: Visit
  private var uses: [Use]
  private var progress: (UInt64, UInt64) -> Void
  private var treePages: UInt64 = 0
  private var greatestPage: UInt64 = 0
  private var claimed: [Claim] = []
  package private(set) var damages: [DataFileDamage] = []
  /// Entries of the named databases, as they were found and as the file says.
  package private(set) var counts: [String: (found: UInt64, expected: UInt64)] = [:]
  package private(set) var freeListIsWhole = true
  /// Whether both meta pages could be read; else the last commit may be missing.
  package private(set) var hasBothMetas = true
  private var flaw: LastCommits.Flaw?
  /// Whether the roots of all trees are known.
  package private(set) var hasTables = false

  private init(
    _ pages: DataFilePages, _ meta: DataFileMeta?, flaw: LastCommits.Flaw? = nil,
    progress: @escaping (UInt64, UInt64) -> Void, _ visit: @escaping Visit
  ) {
    self.pages = pages
    self.meta = meta
    self.flaw = flaw
    self.visit = visit
    self.progress = progress
    uses = Array(repeating: .unknown, count: Int(clamping: pages.count))
  }

  /// The system's error where it could not read a part of the file; the contents of such a part are not known.
  package var readFailure: LMDBError? { pages.failure }

  /// The rule that the meta pages break, as the end of a sentence; nil where none was found.
  package var commitFlaw: String? { flaw?.rawValue }

  /// Whether there is no damage at all.
  package var isIntact: Bool {
    damages.isEmpty && freeListIsWhole && hasBothMetas && flaw == nil && hasTables
      && counts.values.allSatisfy { $0.found == $0.expected }
  }

  /// Reads a data file that nobody writes to.
  ///
  /// - Parameters:
  ///   - includingStrays: whether pages outside the trees are read too.
  ///   - wanted: the named databases that are read; nil: all.
  ///   - progress: gets the number of pages read, and of all.
  ///   - visit: gets each entry with its place. Entries of one page come in a row; a key may come more than once.
  /// - Throws: `noSuchFile`, `accessDenied`, `invalidFile`, and what `visit` throws.
  package static func run(
    directory: String, includingStrays: Bool, tables wanted: Set<String>? = nil,
    progress: @escaping (UInt64, UInt64) -> Void = { _, _ in },
    visit: @escaping Visit
  ) throws -> DataFileSurvey {
    let pages = try DataFilePages(directory: directory)
    let commits = LastCommits(pages.metas, page: pages.page)
    let survey = DataFileSurvey(pages, commits.metas.first, flaw: commits.flaw, progress: progress, visit)
    defer { survey.letGo() }
    try survey.readTrees(wanted)
    if includingStrays { try survey.readStrays() }
    return survey
  }

  private func letGo() { (visit, progress) = ({ _, _, _ in }, { _, _ in }) }

  /// Reads the trees of one commit, which a transaction keeps others from writing over; nil where neither meta page
  /// names it any more.
  static func run(
    directory: String, of transactionID: UInt64, progress: @escaping (UInt64, UInt64) -> Void
  ) throws -> DataFileSurvey? {
    let pages = try DataFilePages(directory: directory)
    guard let meta = pages.metas.first(where: { $0.transactionID == transactionID }) else { return nil }
    let survey = DataFileSurvey(pages, meta, progress: progress) { _, _, _ in }
    try survey.readTrees(nil)
    return survey
  }

  private func damage(_ table: String?, _ page: UInt64, _ lowest: [UInt8], _ end: [UInt8]?, _ reason: String) {
    damages.append(DataFileDamage(table: table, page: page, lowest: lowest, end: end, reason: reason))
  }
}

// Along the trees.
extension DataFileSurvey {
  private func readTrees(_ wanted: Set<String>?) throws {
    hasBothMetas = pages.metas.count == 2
    guard let meta else {
      freeListIsWhole = false
      return
    }
    for number in 0..<min(2, uses.count) { uses[number] = .used }
    readFreeList(meta.freeRoot)
    var tables: [Table] = []
    hasTables = true
    try walk(meta.mainRoot, nil, lowest: [], end: nil, depth: 0) { page, node in
      guard case .database(let place) = node.content else {
        _ = try self.lend(node, of: page, at: .list)
        return
      }
      tables.append(
        Table(
          name: String(decoding: page.bytes[node.key], as: UTF8.self),
          root: page.bytes.number(UInt64.self, at: place.lowerBound + 40),
          entries: page.bytes.number(UInt64.self, at: place.lowerBound + 32)))
    }
    if damages.contains(where: { $0.table == nil }) { hasTables = false }
    for table in tables where wanted?.contains(table.name) ?? true {
      counts[table.name] = (0, table.entries)
      try walk(table.root, table.name, lowest: [], end: nil, depth: 0) { page, node in
        try self.lend(node, of: page, in: table.name)
      }
    }
  }

  private func lend(_ node: DataFilePage.Node, of page: DataFilePage, in table: String) throws {
    if try lend(node, of: page, at: .table(table)) { counts[table]?.found += 1 }
  }

  /// Visits the leaves of a tree; its range is what its parent says of its keys.
  private func walk(
    _ number: UInt64, _ table: String?, lowest: [UInt8], end: [UInt8]?, depth: Int,
    leaf: (DataFilePage, DataFilePage.Node) throws -> Void
  ) throws {
    if number == Self.noPage, depth == 0 { return }
    guard number < pages.count, depth < Self.greatestDepth, uses[Int(number)] != .used else {
      return damage(table, number, lowest, end, "the tree leads to a page that is none of its own")
    }
    if uses[Int(number)] == .free {
      if let table { claimed.append(Claim(page: number, table: table, lowest: lowest, end: end, depth: depth)) }
      return damage(table, number, lowest, end, "the tree leads to a page that is in the list of free pages")
    }
    if flaw == nil, let meta, number > meta.lastPage { flaw = .lastPage }
    greatestPage = max(greatestPage, number)
    guard let page = pages.page(number) else {
      uses[Int(number)] = .used
      return damage(table, number, lowest, end, "the page cannot be read, or is no page of a tree")
    }
    guard page.isOfTree else {
      return damage(table, number, lowest, end, "the tree leads to a page that is none of its own")
    }
    guard lies(page, from: lowest, to: end) else {
      return damage(table, number, lowest, end, "its keys are not those that the tree has there")
    }
    uses[Int(number)] = .used
    report()
    if !page.isIntact { damage(table, number, lowest, end, "its parts do not fill it, or lie outside it") }
    guard case .branch = page.kind else {
      for node in page.nodes { try leaf(page, node) }
      return
    }
    try walkChildren(of: page, table, lowest: lowest, end: end, depth: depth, leaf: leaf)
  }

  private func walkChildren(
    of page: DataFilePage, _ table: String?, lowest: [UInt8], end: [UInt8]?, depth: Int,
    leaf: (DataFilePage, DataFilePage.Node) throws -> Void
  ) throws {
    for (place, node) in page.nodes.enumerated() {
      guard case .child(let child) = node.content else { continue }
      // The first node stands for all keys below the second's, and its own key is empty.
      let from = place == 0 ? lowest : page.key(of: node)
      let to = place + 1 < page.nodes.count ? page.key(of: page.nodes[place + 1]) : end
      try walk(child, table, lowest: from, end: to, depth: depth + 1, leaf: leaf)
    }
  }

  /// Whether the keys of a page rise and lie where its parent says.
  private func lies(_ page: DataFilePage, from lowest: [UInt8], to end: [UInt8]?) -> Bool {
    var nodes = page.nodes[...]
    if case .branch = page.kind { nodes = nodes.dropFirst() }
    for (node, next) in zip(nodes, nodes.dropFirst()) where !page.isKey(of: node, before: next) { return false }
    if let first = nodes.first, page.key(of: first).lexicographicallyPrecedes(lowest) { return false }
    if let end, let last = nodes.last, !page.key(of: last).lexicographicallyPrecedes(end) { return false }
    return true
  }

  /// Lends an entry of a leaf; false where its value cannot be read.
  private func lend(_ node: DataFilePage.Node, of page: DataFilePage, at place: Place) throws -> Bool {
    switch node.content {
    case .value(let range):
      try page.bytes.withRawBytes { bytes throws in try visit(place, bytes.slice(node.key), bytes.slice(range)) }
    case .overflow(let number, let byteCount):
      guard let found = pages.overflow(number, byteCount: byteCount) else {
        if case .table(let name) = place {
          damage(name, number, page.key(of: node), page.key(of: node) + [0], "a long value cannot be read")
        }
        return false
      }
      if case .table(let name) = place {
        let taken = number..<number + UInt64(found.pages)
        if taken.contains(where: { uses[Int($0)] == .free }) {
          damage(name, number, page.key(of: node), page.key(of: node) + [0], "a long value lies in free pages")
        }
        for number in taken { uses[Int(number)] = .used }
      }
      try page.bytes.withRawBytes { key throws in
        try found.value.withRawBytes { value throws in try visit(place, key.slice(node.key), value) }
      }
    case .child, .database: return false
    }
    return true
  }

  private func report() {
    treePages += 1
    progress(treePages, pages.count)
  }
}

// Beside the trees.
extension DataFileSurvey {
  private func readFreeList(_ root: UInt64) {
    let list = FreePageList(root, in: pages)
    // One of an older state calls pages free that are in use.
    freeListIsWhole = list.isWhole && flaw != .freePages
    guard freeListIsWhole else { return }
    for number in list.own { uses[Int(number)] = .used }
    for number in list.free where number < pages.count && uses[Int(number)] == .unknown { uses[Int(number)] = .free }
  }

  private func readStrays() throws {
    let last = max(meta?.lastPage ?? 0, greatestPage)
    try readClaimed(last)
    for number in uses.indices where uses[number] != .used {
      progress(UInt64(number), pages.count)
      guard let page = pages.page(UInt64(number)), case .leaf = page.kind else { continue }
      let isLost = freeListIsWhole && uses[number] == .unknown && UInt64(number) <= last
      for node in page.nodes { _ = try lend(node, of: page, at: isLost ? .lost : .former) }
    }
  }

  /// Reads the pages of trees that are listed as free, where the list is wrong. Where the tree is wrong, the page to
  /// which it should lead is in neither, and the one to which it leads is of an older state.
  private func readClaimed(_ last: UInt64) throws {
    if claimed.isEmpty { return }
    let lost = uses.indices.filter { uses[$0] == .unknown && UInt64($0) <= last }.compactMap { pages.page(UInt64($0)) }
    for claim in claimed where !lost.contains(where: { $0.isOfTree && lies($0, from: claim.lowest, to: claim.end) }) {
      uses[Int(claim.page)] = .unknown
      try walk(claim.page, claim.table, lowest: claim.lowest, end: claim.end, depth: claim.depth) { page, node in
        try self.lend(node, of: page, in: claim.table)
      }
    }
  }
}
