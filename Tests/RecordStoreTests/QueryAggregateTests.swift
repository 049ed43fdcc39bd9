import Foundation
import RecordStore
import TestSupport
import Testing

/// Aggregates take records in batches of one entity: more records than a batch has, of two entities, in an order in
/// which they alternate.
@Suite struct QueryAggregateTests {
  private static let (name, age, count) = (FieldPath(0), FieldPath(1), FieldPath(9))

  @Test func `aggregates over a class and those below it are what plain Swift computes, in any window`() throws {
    var generator = SeededGenerator.announced()
    let records = QueryFixture.records(using: &generator)
    let oracle = QueryOracle(records)
    try QueryFixture.withSource(of: records, isIndexed: generator.oneIn(2)) { source in
      var queries = RandomQueries(generator: generator)
      for round in 0..<200 {
        var query = queries.indexedQuery()
        query.includesSubentities = true
        query.filter = round.isMultiple(of: 3) ? query.filter : .all
        query.sort = [RecordQuery.SortKey(Self.age), RecordQuery.SortKey(Self.name, isDescending: true)]
        query.limit = round.isMultiple(of: 2) ? nil : Int.random(in: 0...200, using: &generator)
        source.sharing = ScanSharing(threads: round % 4, rowsOfPart: round % 5 + 1)
        try compare(query, oracle, source)
      }
    }
  }

  private func compare(_ query: RecordQuery, _ oracle: QueryOracle, _ source: QuerySource) throws {
    let person = oracle.catalogue.entities[0]
    let found = try oracle.identifiers(query).map { try #require(oracle.records[$0]) }
    func values(_ path: FieldPath) -> [FieldValue] { found.map { oracle.value(path.ordinals[...], $0, person) } }
    let all = try source.aggregate(
      AggregateQuery(query, functions: [.count, .sum(Self.age), .sum(Self.count), .countValues(Self.name)]))
    #expect(
      all.map(\.values) == [
        [
          .count(found.count), .integer(values(Self.age).reduce(0) { $0 + $1.integer }),
          .integer(values(Self.count).reduce(0) { $0 + $1.integer }),
          .count(values(Self.name).count { $0 != .null }),
        ]
      ])
    let groups = try source.aggregate(
      AggregateQuery(query, keys: [Self.age], functions: [.count, .sum(Self.count)]))
    let expected = Dictionary(grouping: zip(values(Self.age), values(Self.count)), by: \.0)
    #expect(groups.count == expected.count)
    for group in groups {
      let members = try #require(expected[group.keys[0]])
      #expect(group.values == [.count(members.count), .integer(members.reduce(0) { $0 + $1.1.integer })])
    }
  }
}

extension FieldValue {
  fileprivate var integer: Int128 {
    switch self {
    case .int(let value): Int128(value)
    case .uint(let value): Int128(value)
    default: 0
    }
  }
}
