import LMDB

/// Finds rows of one entity by id for callers that know which ids come next: these are looked up together, see
/// ``TreeSearch``.
struct RowFinder {
  private let source: QuerySource
  private let entity: EntityNumber
  /// Whose entries the ids are from; nil where they may name what is not there.
  private let index: Int?
  /// Nil until it is needed; nil inside where there can be none.
  private var prepared: TreeSearch??
  private var keys: [UInt128] = []
  /// The rows that were found before they were asked for, the next last.
  private var ahead: [(id: RecordID, bytes: RawBytes?)] = []
  /// How many were asked for since it was in vain to look ahead.
  private var streak = 0
  /// After so many the next ones are looked up too: few rows are found sooner than a search is prepared.
  private static let patience = 3

  init(of entity: EntityNumber, by index: Int?, in source: QuerySource) {
    self.source = source
    self.entity = entity
    self.index = index
  }

  /// A record; nil if there is none. Throws `damaged` if an index names it all the same.
  ///
  /// - Parameter upcoming: the ids that will be asked for next, at most so many, in their order. Some may be left out.
  mutating func row(_ id: RecordID, upcoming: (Int) throws -> ArraySlice<RecordID>) throws -> QueryRow? {
    guard let bytes = try known(id) ?? found(id, upcoming) ?? source.record(id, of: entity) else {
      guard let index else { return nil }
      throw StoreError.damaged(
        tableOf: source.catalogue.entities[entity], "index \(index) names a record that is not there")
    }
    return QueryRow(id: id, entity: entity, bytes: bytes)
  }

  private mutating func known(_ id: RecordID) -> RawBytes? {
    while let next = ahead.popLast() {
      if next.id == id { return next.bytes }
      streak = 0
    }
    return nil
  }

  /// Looks the following ids up beside this one; nil where that does not pay.
  private mutating func found(
    _ id: RecordID, _ upcoming: (Int) throws -> ArraySlice<RecordID>
  ) throws -> RawBytes? {
    streak += 1
    guard ahead.isEmpty, streak > Self.patience, let search = try search() else { return nil }
    let ids = try upcoming(TreeSearch.maximumCount - 1)
    keys.removeAll(keepingCapacity: true)
    keys.append(id.number)
    for id in ids { keys.append(id.number) }
    try search.find(keys) { place, bytes in
      ahead.append((place == 0 ? id : ids[ids.startIndex + place - 1], bytes))
    }
    ahead.reverse()
    return ahead.popLast()?.bytes
  }

  private mutating func search() throws -> TreeSearch? {
    if case .some(let known) = prepared { return known }
    let made = try TreeSearch(source.records[entity], in: source.transaction)
    prepared = .some(made)
    keys.reserveCapacity(TreeSearch.maximumCount)
    ahead.reserveCapacity(TreeSearch.maximumCount)
    return made
  }
}

extension RecordID {
  /// Rises as the id's bytes do.
  fileprivate var number: UInt128 { UInt128(high) << 64 | UInt128(low) }
}
