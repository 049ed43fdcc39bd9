import LMDB

/// The doors to queries, for snapshots and for code that has tables without one.
extension QuerySource {
  /// Lends the records that a query finds, in its order, until `body` returns false: nothing is copied or checked.
  ///
  /// A record that an index names, and of which no more than its id counts, is offered to `take` before it is looked
  /// up: true says that the caller has it and is done with it.
  package func forEachRow(
    _ query: RecordQuery, taking take: (RecordID) throws -> Bool = { _ in false },
    _ body: (QueryRow) throws -> Bool
  ) throws {
    try execution(of: query).forEachRow(taking: take, body)
  }

  /// Lends the records in batches until `body` returns false: memory for one batch and, where the query sorts,
  /// for the sort keys.
  package func forEachBatch(
    _ query: RecordQuery, of count: Int, checking check: (QueryRow) throws -> Void = { _ in },
    _ body: ([RecordImage]) throws -> Bool
  ) throws {
    precondition(count > 0, "a batch has at least one record")
    var batch: [RecordImage] = []
    var goesOn = true
    try execution(of: query).forEachRow { row in
      try check(row)
      batch.append(try row.image())
      guard batch.count == count else { return true }
      goesOn = try body(batch)
      batch.removeAll(keepingCapacity: true)
      return goesOn
    }
    if goesOn, !batch.isEmpty { _ = try body(batch) }
  }

  package func identifiers(_ query: RecordQuery) throws -> [RecordID] {
    var ids: [RecordID] = []
    try execution(of: query).forEachRow { row in
      ids.append(row.id)
      return true
    }
    return ids
  }

  package func count(_ query: RecordQuery) throws -> Int { try execution(of: query).count() }

  package func explain(_ query: RecordQuery) throws -> String {
    let plan = try QueryPlanner.plan(query, in: self)
    _ = try QueryExecution(plan, in: self)
    return PlanDescription(plan, catalogue: catalogue).text
  }

  /// The record that has these values in a unique index; nil if there is none or a value is null.
  package func lookUp(_ index: CatalogueIndex, _ values: [FieldValue]) throws -> RecordID? {
    var resolved = values
    for (place, value) in values.enumerated() {
      if case .reference(let id) = value { resolved[place] = .reference(try canonical(id)) }
    }
    guard let key = IndexKey.uniqueKey(index, resolved),
      let value = try transaction.get(try self.index(index.number), key: key)
    else { return nil }
    return RecordID(bytes: value)
  }

  func execution(of query: RecordQuery) throws -> QueryExecution {
    try QueryExecution(try QueryPlanner.plan(query, in: self), in: self)
  }
}
