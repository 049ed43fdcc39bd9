import LMDB

/// Carries out a plan over one snapshot. A rejected record costs no allocation.
///
/// A record found through an index costs a look-up, about ten times a step of a scan. So entries are counted
/// while they are read, and after an eighth of the table the index is left for a scan. Where rows were given
/// out by then, the scan's sort gives the same rows first, for an order is total: they are skipped.
///
/// Classes, this and its branches: closures that run once a row capture them, which costs one reference count
/// instead of one for each part.
final class QueryExecution {
  private let source: QuerySource
  private let plan: QueryPlan
  private let base: CatalogueEntity

  private final class CompiledBranch {
    let entity: CatalogueEntity
    let number: EntityNumber
    let access: QueryPlan.Access
    /// The conditions that the access does not guarantee.
    let filter: RecordFilter
    /// The same; nil: none.
    let remaining: FilterNode?
    var isScan: Bool { if case .table = access { true } else { false } }
    var isOrderedByIndex: Bool {
      if case .index(let access) = access { access.isOrdered && !access.isPoint } else { false }
    }

    init(entity: CatalogueEntity, access: QueryPlan.Access, filter: RecordFilter, remaining: FilterNode?) {
      self.entity = entity
      number = entity.number
      self.access = access
      self.filter = filter
      self.remaining = remaining
    }
  }
  private let branches: [CompiledBranch]

  init(_ plan: QueryPlan, in source: QuerySource) throws {
    self.plan = plan
    self.source = source
    let base = try source.entity(plan.query.entity)
    self.base = base
    branches = try plan.branches.map { branch in
      let entity = try source.entity(branch.entity)
      let compiler = FilterCompiler(source: source, base: base, entity: entity)
      // A guaranteed condition needs no node, but it is refused all the same where it contradicts the catalogue.
      if branch.remaining != plan.filter { try compiler.check(plan.filter) }
      return CompiledBranch(
        entity: entity, access: branch.access, filter: branch.remaining,
        remaining: branch.remaining == .all ? nil : try compiler.compile(branch.remaining))
    }
    // A sort key that does not exist is refused even where nothing needs to be sorted; one that an index gives does.
    for branch in branches where !branch.isOrderedByIndex { _ = try extractor(for: branch) }
  }

  /// All conditions, for a scan instead of what the plan says.
  private func whole(_ branch: CompiledBranch) throws -> FilterNode { try compile(plan.filter, of: branch) }

  private func compile(_ filter: RecordFilter, of branch: CompiledBranch) throws -> FilterNode {
    try FilterCompiler(source: source, base: base, entity: branch.entity).compile(filter)
  }

  private func extractor(for branch: CompiledBranch) throws -> SortKeyExtractor {
    try SortKeyExtractor(plan.query.sort, base: base, entity: branch.entity, in: source)
  }

  /// How many of the first rows in order are needed; nil: all.
  private var window: Int? {
    plan.query.limit.map { min($0, Int.max / 4) + min(plan.query.offset, Int.max / 4) }
  }

  /// The treatment of a record of which only the id is known.
  private enum Naming {
    /// It must be looked up.
    case wanted
    /// It needs no look-up.
    case settled
    /// Nor is there another one to come.
    case last
  }

  /// The part of the rows in order that the query's offset and limit leave.
  private struct Window {
    var toSkip: Int
    var left: Int

    /// Whether the next row is one of those that are left out.
    mutating func skips() -> Bool {
      if toSkip == 0 { return false }
      toSkip -= 1
      return true
    }

    /// Counts a row that is given out. False: it is the last.
    mutating func gives() -> Bool {
      left -= 1
      return left > 0
    }
  }

  /// Calls `body` with each row of the result, in order, until it returns false.
  ///
  /// A record that an index names, and of which no more than its id counts, is offered to `take` before it is looked
  /// up: true says that the caller has it and is done with it.
  func forEachRow(
    taking take: (RecordID) throws -> Bool = { _ in false }, _ body: (QueryRow) throws -> Bool
  ) throws {
    var window = Window(toSkip: plan.query.offset, left: plan.query.limit ?? Int.max)
    guard window.left > 0 else { return }
    try forEachRowInOrder(naming: { id in
      if window.skips() { return .settled }
      guard try take(id) else { return .wanted }
      return window.gives() ? .settled : .last
    }) { row in
      if window.skips() { return true }
      let goesOn = window.gives()
      return try body(row) && goesOn
    }
  }

  /// Gives `intake` the rows of the result in batches of one entity each: what it needs for every row is then at hand
  /// once a batch. Where their order does not matter, large tables are read in parts, by several threads.
  func give(to intake: AggregateIntake) throws {
    if isWholeScan {
      for branch in branches where try !giveInParts(of: branch, to: intake) {
        var cursor = try source.transaction.cursor(source.records[branch.number])
        try Self.give(&cursor, branch.remaining, of: branch.entity, to: intake)
      }
      return
    }
    var batch: [QueryRow] = []
    try forEachRow { row in
      if let entity = batch.last?.entity, batch.count == Self.batchCount || row.entity != entity {
        try intake.add(batch, of: entity)
        batch.removeAll(keepingCapacity: true)
      }
      batch.append(row)
      return true
    }
    if let entity = batch.last?.entity { try intake.add(batch, of: entity) }
  }

  /// Whether the result is what scans of tables find, as they find it.
  private var isWholeScan: Bool {
    !plan.isSorting && plan.query.limit == nil && plan.query.offset == 0 && plan.query.behind == nil
      && branches.allSatisfy(\.isScan)
  }

  /// As many records as fit into the processor's nearest memory beside their batch.
  private static let batchCount = 128

  /// Without a closure that runs once a row: what it captures would be counted as often.
  private static func give<Walk: EntryWalk & ~Copyable>(
    _ walk: inout Walk, _ filter: FilterNode?, of entity: CatalogueEntity, to intake: AggregateIntake
  ) throws {
    var batch: [QueryRow] = []
    batch.reserveCapacity(batchCount)
    var next: QueryRow?
    repeat {
      next = if let filter { try filter.next(&walk, of: entity) } else { try QueryRow.next(&walk, of: entity) }
      if let next { batch.append(next) }
      guard next == nil || batch.count == batchCount else { continue }
      try intake.add(batch, of: entity.number)
      batch.removeAll(keepingCapacity: true)
    } while next != nil
  }

  /// False where one thread has to read the table.
  private func giveInParts(of branch: CompiledBranch, to intake: AggregateIntake) throws -> Bool {
    guard intake.canTakeParts, let scan = try parallelScan(of: branch) else { return false }
    let intakes = try scan.map { part in
      let filter = branch.remaining == nil ? nil : try self.compile(branch.filter, of: branch)
      let own = try intake.part()
      try Self.give(&part, filter, of: branch.entity, to: own)
      return own
    }
    guard let intakes else { return false }
    return intake.add(intakes)
  }

  /// The table of a branch in parts; nil where one thread reads it as fast, or has to.
  private func parallelScan(of branch: CompiledBranch) throws -> ParallelScan? {
    guard branch.isScan, plan.query.behind == nil, branch.filter.isInRecord else { return nil }
    return try ParallelScan(branch.entity, in: source)
  }

  /// Whether rows must be put in order. The candidates of one branch come by id, unless an index gives the order.
  private var needsSorter: Bool { plan.isSorting && !(plan.query.sort.isEmpty && branches.count == 1) }

  private func forEachRowInOrder(
    naming name: (RecordID) throws -> Naming, _ body: (QueryRow) throws -> Bool
  ) throws {
    guard needsSorter else {
      for branch in branches {
        if case .index(let access) = branch.access, !access.isPoint, access.isOrdered {
          try forEachOrdered(access, branch, naming: name, body)
        } else {
          try forEachCandidate(of: branch, body)
        }
      }
      return
    }
    try forEachSorted(body) { branch, collect in try forEachCandidate(of: branch, collect) }
  }

  /// Sorts what `candidates` gives for each branch.
  private func forEachSorted(
    _ body: (QueryRow) throws -> Bool,
    _ candidates: (CompiledBranch, _ collect: (QueryRow) throws -> Bool) throws -> Void
  ) throws {
    var sorter = RowSorter(window: window)
    for branch in branches {
      let extractor = try extractor(for: branch)
      try candidates(branch) { row in
        try sorter.add(row) { try extractor.append(row, to: &$0) }
        return true
      }
    }
    for row in sorter.sorted() where try !body(row) { return }
  }

  /// The number of rows of the result. Nothing is sorted; without conditions nothing is read but counts.
  func count() throws -> Int {
    var count = 0
    let limit = window ?? Int.max
    for branch in branches where count < limit {
      count += try countRows(of: branch, upTo: limit - count)
    }
    return max(0, min(count, limit) - plan.query.offset)
  }

  private func countRows(of branch: CompiledBranch, upTo limit: Int) throws -> Int {
    if branch.remaining == nil, plan.query.behind == nil {
      switch branch.access {
      case .nothing: return 0
      case .table: return try source.transaction.statistics(source.records[branch.entity.number]).entries
      case .index(let access) where !access.isPoint: return try countEntries(access, upTo: limit)
      case .index, .ids: break
      }
    }
    if limit == .max, let count = try countInParts(of: branch) { return count }
    var count = 0
    try forEachCandidate(of: branch) { _ in
      count += 1
      return count < limit
    }
    return count
  }

  /// Nil where one thread has to count.
  private func countInParts(of branch: CompiledBranch) throws -> Int? {
    let counts = try parallelScan(of: branch)?.map { part in
      let (filter, entity) = (try self.compile(branch.filter, of: branch), branch.entity)
      var count = 0
      while try filter.next(&part, of: entity) != nil { count += 1 }
      return count
    }
    return counts?.reduce(0, +)
  }

  private func countEntries(_ access: QueryPlan.IndexAccess, upTo limit: Int) throws -> Int {
    var count = 0
    let reader = IndexReader(access, in: source)
    try reader.forEachEntry(in: access.ranges) { _ in
      count += 1
      return count < limit
    }
    return count
  }

  /// The records of one entity that pass, until `body` returns false.
  private func forEachCandidate(of branch: CompiledBranch, _ body: (QueryRow) throws -> Bool) throws {
    switch branch.access {
    case .nothing: return
    case .ids(let ids): try forEachNamed(ids, by: nil, branch, body)
    case .table: try scan(branch, branch.remaining, body)
    case .index(let access) where access.isPoint: try lookUp(access, branch, body)
    case .index(let access):
      if let ids = try collect(access, branch) {
        try forEachNamed(ids, by: access.index.number, branch, body)
      } else {
        try scan(branch, try whole(branch), body)
      }
    }
  }

  private func scan(_ branch: CompiledBranch, _ filter: FilterNode?, _ body: (QueryRow) throws -> Bool) throws {
    let entity = branch.entity
    var cursor = try source.transaction.cursor(source.records[entity.number])
    guard try standBehind(&cursor, in: entity) else { return }
    guard let filter else {
      while let row = try QueryRow.next(&cursor, of: entity) { guard try body(row) else { return } }
      return
    }
    while let row = try filter.next(&cursor, of: entity) { guard try body(row) else { return } }
  }

  /// Moves a cursor that has not moved to where its next record is the first that the query may give. False: none is.
  private func standBehind(_ cursor: inout Cursor, in entity: CatalogueEntity) throws -> Bool {
    guard let behind = plan.query.behind else { return true }
    guard let next = behind.successor else { return false }
    let last = try next.withRawBytes { (key: RawBytes) throws -> Cursor.Entry? in try cursor.seek(before: key) }
    if last == nil { cursor = try source.transaction.cursor(source.records[entity.number]) }
    return true
  }

  private func isWanted(_ id: RecordID) -> Bool { plan.query.behind.map { $0 < id } ?? true }

  /// The query may name records that are not there; an index may not.
  private func forEachNamed(
    _ ids: [RecordID], by index: Int?, _ branch: CompiledBranch, _ body: (QueryRow) throws -> Bool
  ) throws {
    var rows = RowFinder(of: branch.number, by: index, in: source)
    for (place, id) in ids.enumerated() where isWanted(id) {
      guard let row = try rows.row(id, upcoming: { ids.dropFirst(place + 1).prefix($0) }) else { continue }
      if let remaining = branch.remaining, try !remaining.passes(row) { continue }
      guard try body(row) else { return }
    }
  }

  private func lookUp(
    _ access: QueryPlan.IndexAccess, _ branch: CompiledBranch, _ body: (QueryRow) throws -> Bool
  ) throws {
    let reader = IndexReader(access, in: source)
    for range in access.ranges {
      guard let id = try reader.record(at: range.lower) else { continue }
      try forEachNamed([id], by: access.index.number, branch, body)
    }
  }

  /// The ids in the ranges, sorted; nil if they are so many that a scan costs less.
  private func collect(_ access: QueryPlan.IndexAccess, _ branch: CompiledBranch) throws -> [RecordID]? {
    let reader = IndexReader(access, in: source)
    let limit = try lookUpLimit(branch)
    var ids: [RecordID] = []
    try reader.forEachEntry(in: access.ranges) { entry in
      let id = try IndexKey.recordID(key: entry.key, value: entry.value)
      if isWanted(id) { ids.append(id) }
      return ids.count <= limit
    }
    guard ids.count <= limit else { return nil }
    ids.sort()
    return ids
  }

  /// How many look-ups cost less than a scan.
  private func lookUpLimit(_ branch: CompiledBranch) throws -> Int {
    max(64, try source.transaction.statistics(source.records[branch.entity.number]).entries / 8)
  }

  private func forEachOrdered(
    _ access: QueryPlan.IndexAccess, _ branch: CompiledBranch, naming name: (RecordID) throws -> Naming,
    _ body: (QueryRow) throws -> Bool
  ) throws {
    var ids = try OrderedIDs(access.narrowed(behind: plan.query.behind), of: branch.entity, in: source)
    let limit = try lookUpLimit(branch)
    var lookUps = 0
    var given = 0
    var rows = RowFinder(of: branch.number, by: access.index.number, in: source)
    while let id = try ids.next() {
      guard isWanted(id) else { continue }
      if branch.remaining == nil {
        switch try name(id) {
        case .last: return
        case .settled:
          given += 1
          continue
        case .wanted: break
        }
      }
      guard lookUps < limit else { return try scanSorted(skipping: given, body) }
      lookUps += 1
      // None beyond the window, and more than these only where some do not pass.
      let wanted = (window ?? .max) - given - 1
      guard let row = try rows.row(id, upcoming: { try ids.upcoming(min($0, wanted)) }) else { continue }
      if let remaining = branch.remaining, try !remaining.passes(row) { continue }
      given += 1
      guard try body(row) else { return }
    }
  }

  /// The same rows in the same order without an index, from the one behind `count` on.
  private func scanSorted(skipping count: Int, _ body: (QueryRow) throws -> Bool) throws {
    var left = count
    try forEachSorted({ row in
      left -= 1
      return try left >= 0 || body(row)
    }) { branch, collect in try scan(branch, try whole(branch), collect) }
  }
}
