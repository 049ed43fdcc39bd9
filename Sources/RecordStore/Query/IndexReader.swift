import LMDB

/// Reads the entries of one index, as the plan of a query says.
final class IndexReader {
  private let source: QuerySource
  private let number: Int
  private let ranges: [KeyRange]
  private let isBackward: Bool

  init(_ access: QueryPlan.IndexAccess, in source: QuerySource) {
    self.source = source
    number = access.index.number
    ranges = access.ranges
    isBackward = access.isBackward
  }

  /// The record under a key of a unique index.
  func record(at key: [UInt8]) throws -> RecordID? {
    guard let value = try source.transaction.get(try source.index(number), key: key) else { return nil }
    return try IndexKey.recordID(key: RawBytes(start: value.start, count: 0), value: value)
  }

  /// The entries of a range in the order of keys, until `body` returns false.
  func forEachEntry(in range: KeyRange, _ body: (Cursor.Entry) throws -> Bool) throws {
    let cursor = try source.transaction.cursor(try source.index(number))
    // LMDB has no empty key to look for.
    var next = try range.lower.isEmpty ? cursor.first() : cursor.seek(range.lower)
    while let entry = next, range.isBelowUpper(entry.key) {
      guard try body(entry) else { return }
      next = try cursor.next()
    }
  }

  /// The ids of all entries in the order that the query asks for, ties by rising id, until `body` returns false.
  ///
  /// Keys that are cut (see ``IndexKey``) sort by their first bytes only, and an index read from its end gives
  /// ties by falling id. So entries that share what is exact are collected into a group and put in order.
  func forEachOrderedID(_ key: IndexKey, of entity: EntityNumber, _ body: (RecordID) throws -> Bool) throws {
    var group = Group(key: key, isBackward: isBackward)
    for range in ranges {
      let goesOn = try forEachEntryInDirection(in: range) { entry in
        let id = try IndexKey.recordID(key: entry.key, value: entry.value)
        let exact = Group.exactPart(of: entry)
        if group.continues(exact) {
          group.ids.append(id)
          return true
        }
        guard try emit(&group, of: entity, body) else { return false }
        group.start(exact, id)
        return true
      }
      guard goesOn else { return }
    }
    _ = try emit(&group, of: entity, body)
  }

  private func forEachEntryInDirection(
    in range: KeyRange, _ body: (Cursor.Entry) throws -> Bool
  ) throws -> Bool {
    var goesOn = true
    guard isBackward else {
      try forEachEntry(in: range) { entry in
        goesOn = try body(entry)
        return goesOn
      }
      return goesOn
    }
    let cursor = try source.transaction.cursor(try source.index(number))
    var next =
      try range.upper.map { upper in
        try upper.withRawBytes { (key: RawBytes) throws -> Cursor.Entry? in try cursor.seek(before: key) }
      } ?? cursor.last()
    while let entry = next, range.contains(entry.key) {
      guard try body(entry) else { return false }
      next = try cursor.previous()
    }
    return true
  }

  private func emit(_ group: inout Group, of entity: EntityNumber, _ body: (RecordID) throws -> Bool) throws -> Bool {
    if group.ids.count == 1 {
      // Almost always: no array is made.
      let id = group.ids[0]
      group.ids.removeAll(keepingCapacity: true)
      return try body(id)
    }
    let ids = try group.sorted { try source.record($0, of: entity) }
    group.ids.removeAll(keepingCapacity: true)
    for id in ids where try !body(id) { return false }
    return true
  }

  static func damaged(_ entity: CatalogueEntity, _ flaw: String) -> StoreError {
    StoreError(
      .damaged, "the store of \(entity.name) is damaged (\(flaw)): run tandem check, which can build indexes anew")
  }

  /// Entries whose order their keys leave open.
  private struct Group {
    let key: IndexKey
    let isBackward: Bool
    var ids: [RecordID] = []
    private var exact: [UInt8] = []

    init(key: IndexKey, isBackward: Bool) {
      self.key = key
      self.isBackward = isBackward
    }

    /// The key without the id, as far as it is never cut.
    static func exactPart(of entry: Cursor.Entry) -> RawBytes {
      let count = entry.value.count > 0 ? entry.key.count : entry.key.count - RecordID.byteCount
      return entry.key.slice(0..<min(max(0, count), IndexKey.exactByteCount))
    }

    func continues(_ other: RawBytes) -> Bool {
      !ids.isEmpty && exact.withRawBytes { $0 == other }
    }

    mutating func start(_ other: RawBytes, _ id: RecordID) {
      exact.removeAll(keepingCapacity: true)
      exact.append(contentsOf: other.buffer)
      ids.append(id)
    }

    func sorted(_ record: (RecordID) throws -> RawBytes?) throws -> [RecordID] {
      guard exact.count == IndexKey.exactByteCount else { return ids.sorted() }
      var encoder = KeyEncoder()
      let keyed = try ids.map { id -> (key: [UInt8], id: RecordID) in
        guard let bytes = try record(id) else { return ([], id) }
        key.encodeUncut(RecordView(bytes), into: &encoder)
        return (encoder.bytes, id)
      }
      return keyed.sorted { left, right in
        guard left.key != right.key else { return left.id < right.id }
        return left.key.lexicographicallyPrecedes(right.key) != isBackward
      }.map(\.id)
    }
  }
}
