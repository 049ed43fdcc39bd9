// Queries: see RecordQuery and RecordFilter for what they mean.
extension StoreSnapshot {
  package var querySource: QuerySource {
    QuerySource(
      transaction: transaction, catalogue: layout.catalogue, records: layout.databases.records,
      indexes: layout.databases.indexes, aliases: layout.databases.aliases)
  }

  /// The records that a query finds, in its order, each copied out of the map once and checked.
  ///
  /// A scan costs some tens of nanoseconds for a record that does not pass; see ``explain(_:)`` for the path taken.
  /// Throws `invalidRequest` for a query that contradicts the catalogue, `damaged` for a record with a wrong checksum,
  /// or one that has a value beside the store whose file is missing.
  public func fetch(_ query: RecordQuery) throws -> [RecordImage] {
    try images(query) { try requireValues(of: $0) }
  }

  /// As ``fetch(_:)``, for callers that need no values, see ``image(_:of:)``. `check` may refuse a row.
  package func images(
    _ query: RecordQuery, checking check: (QueryRow) throws -> Void = { _ in }
  ) throws -> [RecordImage] {
    var images: [RecordImage] = []
    try forEachRow(query) { row in
      try check(row)
      images.append(try row.image())
      return true
    }
    return images
  }

  /// Lends the records that a query finds, in its order, until `body` returns false. A row is valid in `body` only;
  /// ``QueryRow/image()`` is the copy that may be kept. `take`: see ``QuerySource/forEachRow(_:taking:_:)``.
  package func forEachRow(
    _ query: RecordQuery, taking take: (RecordID) throws -> Bool = { _ in false },
    _ body: (QueryRow) throws -> Bool
  ) throws {
    guard let named = try UniqueLookUp(query, in: self) else {
      return try querySource.forEachRow(query, taking: take, body)
    }
    guard let id = try named.id(in: self), try !take(id) else { return }
    _ = try body(named.row(id, in: self))
  }

  /// Lends the records that a query finds, in its order and in batches of `count`, until `body` returns false.
  ///
  /// Holds one batch at a time; a query that sorts without an index holds the sort keys of all that it finds too.
  /// The snapshot stays open meanwhile. Throws as ``fetch(_:)`` does, and what `body` throws.
  public func forEachBatch(
    _ query: RecordQuery, of count: Int, _ body: ([RecordImage]) throws -> Bool
  ) throws {
    try querySource.forEachBatch(query, of: count, checking: { try requireValues(of: $0) }, body)
  }

  /// The ids of the records that a query finds, in its order.
  public func identifiers(_ query: RecordQuery) throws -> [RecordID] { try querySource.identifiers(query) }

  /// How many records ``fetch(_:)`` would give. Nothing is copied or sorted; without a filter it is one number of
  /// the table.
  public func count(_ query: RecordQuery) throws -> Int { try querySource.count(query) }

  /// How the query would run, one step a line. The constants of the filter are part of the text.
  public func explain(_ query: RecordQuery) throws -> String { try querySource.explain(query) }

  /// The visible record that has these values in a unique index: one look-up. Nil if there is none, or a value is
  /// null, as null is never unique. Values stand in the order of the index's components.
  ///
  /// Throws `invalidRequest` if the index is not a unique one of the entity, or the values do not fit it.
  public func lookUp(
    _ index: CatalogueIndex, of entity: EntityNumber, values: [FieldValue]
  ) throws -> RecordID? {
    let source = querySource
    let entity = try source.entity(entity)
    guard index.isUnique, entity.indexes.contains(index), values.count == index.components.count,
      zip(index.components, values).allSatisfy({ $1 == .null || entity.fields[$0.ordinal].type == $1.type })
    else {
      throw StoreError(.invalidRequest, "a look-up in \(entity.name) names no unique index, or values of other types")
    }
    return try source.lookUp(index, values)
  }
}
