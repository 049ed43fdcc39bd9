import LMDB

/// The ids that an index's ranges name, in the order that the query asks for, ties by rising id.
///
/// Entries whose keys are whole end with the id, so an index read from its start gives ties by rising id; read from its
/// end, by falling id. Keys that are cut (see ``IndexKey``) sort by their first bytes only. So in these two cases
/// entries that share what is exact are collected into a group and put in order.
struct OrderedIDs: ~Copyable {
  private let source: QuerySource
  private let access: QueryPlan.IndexAccess
  private let entity: CatalogueEntity
  private let exactByteCount: Int
  private var cursor: Cursor
  /// The range that ``entry`` lies in, and its number.
  private var range = KeyRange(lower: [], upper: nil)
  private var rangeNumber = -1
  /// The entry after the ids that were given out or collected; nil at a range's end.
  private var entry: Cursor.Entry?
  /// The rest of a group, last first.
  private var tied: [RecordID] = []
  /// The ids that were read before ``next()`` was asked for them; some of them may have been given out.
  private var ahead: [RecordID] = []
  private var given = 0

  init(_ access: QueryPlan.IndexAccess, of entity: CatalogueEntity, in source: QuerySource) throws {
    self.source = source
    self.access = access
    self.entity = entity
    exactByteCount = access.index.keyLimit.exactByteCount
    cursor = try source.transaction.cursor(try source.index(access.index.number))
  }

  /// The next id; nil after the last.
  mutating func next() throws -> RecordID? {
    guard given < ahead.count else { return try read() }
    given += 1
    return ahead[given - 1]
  }

  /// The ids that ``next()`` is going to give, at most so many.
  mutating func upcoming(_ count: Int) throws -> ArraySlice<RecordID> {
    ahead.removeFirst(given)
    given = 0
    ahead.reserveCapacity(count)
    while ahead.count < count, let id = try read() { ahead.append(id) }
    return ahead.prefix(count)
  }

  private mutating func read() throws -> RecordID? {
    if let id = tied.popLast() { return id }
    while entry == nil {
      rangeNumber += 1
      guard rangeNumber < access.ranges.count else { return nil }
      range = access.ranges[rangeNumber]
      entry = try first()
    }
    guard let current = entry else { return nil }
    let exact = exactPart(of: current)
    let id = try IndexKey.recordID(key: current.key, value: current.value)
    entry = try following()
    guard access.isBackward || exact.count == exactByteCount, let next = entry,
      exactPart(of: next) == exact
    else { return id }
    try collect(id, and: exact)
    return tied.popLast()
  }

  private mutating func first() throws -> Cursor.Entry? {
    guard access.isBackward else { return try cursor.first(in: range) }
    let last = try range.upper.map { upper in
      try upper.withRawBytes { (key: RawBytes) throws -> Cursor.Entry? in try cursor.seek(before: key) }
    }
    return try (last ?? cursor.last()).flatMap { range.contains($0.key) ? $0 : nil }
  }

  // Mutating, as is what calls it: else all of this would be copied first.
  private mutating func following() throws -> Cursor.Entry? {
    let entry = try access.isBackward ? cursor.previous() : cursor.next()
    guard let entry else { return nil }
    return (access.isBackward ? range.contains(entry.key) : range.isBelowUpper(entry.key)) ? entry : nil
  }

  /// The key without the id, as far as it is never cut.
  private func exactPart(of entry: Cursor.Entry) -> RawBytes {
    let count = entry.value.count > 0 ? entry.key.count : entry.key.count - RecordID.byteCount
    return entry.key.slice(0..<min(max(0, count), exactByteCount))
  }

  /// Collects the group of an id, from ``entry`` on.
  private mutating func collect(_ id: RecordID, and exact: RawBytes) throws {
    var ids = [id]
    while let next = entry, exactPart(of: next) == exact {
      ids.append(try IndexKey.recordID(key: next.key, value: next.value))
      entry = try following()
    }
    tied = try exact.count == exactByteCount ? sortedByRecords(ids) : ids.sorted()
    tied.reverse()
  }

  /// Where the keys do not tell.
  private func sortedByRecords(_ ids: [RecordID]) throws -> [RecordID] {
    let key = IndexKey(access.index, of: entity)
    var encoder = KeyEncoder()
    let keyed = try ids.map { id -> (key: [UInt8], id: RecordID) in
      guard let bytes = try source.record(id, of: entity.number) else { return ([], id) }
      key.encodeUncut(RecordView(bytes), into: &encoder)
      return (encoder.bytes, id)
    }
    return keyed.sorted { left, right in
      guard left.key != right.key else { return left.id < right.id }
      return left.key.lexicographicallyPrecedes(right.key) != access.isBackward
    }.map(\.id)
  }
}
