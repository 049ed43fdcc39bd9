// Queries. Each plans anew; planning costs a few microseconds.
extension StoreSnapshot {
  private var source: QuerySource {
    QuerySource(
      transaction: transaction, catalogue: layout.catalogue, records: layout.databases.records,
      indexes: layout.databases.indexes, aliases: layout.databases.aliases)
  }

  /// The records that a query finds, copied out and checked. Throws `damaged` on a wrong checksum and
  /// `invalidRequest` when the query contradicts the catalogue.
  public func fetch(_ query: RecordQuery) throws -> [RecordImage] { try source.fetch(query) }

  /// Lends what a query finds in batches of `count` until `body` returns false.
  public func forEachBatch(
    _ query: RecordQuery, of count: Int, _ body: ([RecordImage]) throws -> Bool
  ) throws {
    try source.forEachBatch(query, of: count, body)
  }

  public func identifiers(_ query: RecordQuery) throws -> [RecordID] { try source.identifiers(query) }

  public func count(_ query: RecordQuery) throws -> Int { try source.count(query) }

  /// How the query would run, one step a line.
  public func explain(_ query: RecordQuery) throws -> String { try source.explain(query) }
}
