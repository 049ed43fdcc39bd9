import Foundation
import RecordStore
import TestSupport
import Testing

@Suite struct QueryDifferentialTests {
  @Test(arguments: 0..<10)
  func `random queries find what plain Swift finds, with indexes and without`(round: Int) throws {
    var generator = SeededGenerator.announced("random queries \(round)")
    let records = QueryFixture.records(using: &generator)
    let oracle = QueryOracle(records)
    try QueryFixture.withSource(of: records, isIndexed: true) { indexed in
      try QueryFixture.withSource(of: records, isIndexed: false) { plain in
        var queries = RandomQueries(generator: generator)
        for number in 0..<(TestLength.isLong ? 10_000 : 400) {
          let query = number.isMultiple(of: 2) ? queries.query() : queries.indexedQuery()
          let expected = oracle.identifiers(query)
          // Some by several threads, which take parts of the tables.
          plain.sharing = ScanSharing(threads: number % 4, rowsOfPart: number % 5 + 1)
          for source in [indexed, plain] {
            let found = try source.identifiers(query)
            guard found == expected, try source.count(query) == expected.count else {
              Issue.record("found \(found.count), expected \(expected.count)\n\(try source.explain(query))")
              return
            }
          }
          // Fetching one record by a unique value takes a way of its own.
          #expect(try indexed.fetch(query).map(\.id) == expected)
        }
      }
    }
  }
}
