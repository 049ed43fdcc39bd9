import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Scans in parts give what one thread finds, however many parts there are.
@Suite struct ParallelScanTests {
  private static let (name, age, score, price, born) = (
    FieldPath(0), FieldPath(1), FieldPath(2), FieldPath(3), FieldPath(4)
  )
  private static let (count, note) = (FieldPath(9), FieldPath(11))

  /// - Parameter change: What else a record has, by its number and ordinal.
  private func people(_ count: Int, _ change: (Int, inout [FieldValue?]) -> Void) -> [QueryFixture.Record] {
    (0..<count).map { index in
      var values = [FieldValue?](repeating: .null, count: QueryFixture.personFields.count)
      values[0] = .string("name \(index % 10)")
      values[1] = .int(Int64(index))
      values[2] = .double(Double(index) / 7)
      values[3] = .decimal(Decimal(index) / 100)
      values[4] = index.isMultiple(of: 3) ? .null : .date(Date(timeIntervalSinceReferenceDate: Double(-index)))
      values[5] = .bool(true)
      values[9] = .uint(UInt64.max - UInt64(index))
      values[11] = .string("")
      change(index, &values)
      return QueryFixture.Record(entity: 0, id: QueryFixture.id(0, index), values: values, dangling: [])
    }
  }

  private func compare(_ records: [QueryFixture.Record]) throws {
    let functions: [AggregateFunction] = [
      .count, .countValues(Self.born), .sum(Self.age), .sum(Self.count), .sum(Self.score), .sum(Self.price),
      .minimum(Self.name), .maximum(Self.name), .minimum(Self.born), .maximum(Self.score), .minimum(Self.price),
    ]
    let filters: [RecordFilter] = [
      .all, .compare(Self.age, .less, .int(1_000)), .text(Self.name, .hasSuffix, "3"),
      .compare(Self.note, .equal, .null),
      .or([.compare(Self.score, .greater, .double(100)), .oneOf(Self.name, [.string("name 1"), .null])]),
    ]
    try QueryFixture.withSource(of: records, isIndexed: false) { source in
      for filter in filters {
        var query = RecordQuery(entity: 0, filter: filter)
        query.includesSubentities = false
        let requests = [[], [Self.name], [Self.age], [Self.note, Self.name]].map {
          AggregateQuery(query, keys: $0, functions: functions)
        }
        source.sharing = ScanSharing(threads: 1, rowsOfPart: 1)
        let (count, rows) = (try source.count(query), try requests.map { try source.aggregate($0) })
        for (threads, rowsOfPart) in [(2, 150), (3, 1), (8, 40), (100, 10)] {
          source.sharing = ScanSharing(threads: threads, rowsOfPart: rowsOfPart)
          #expect(try source.count(query) == count)
          for (request, expected) in zip(requests, rows) {
            let found = try source.aggregate(request)
            #expect(found.map(\.keys) == expected.map(\.keys))
            for (found, expected) in zip(found, expected) {
              #expect(zip(found.values, expected.values).allSatisfy { isSame($0, $1) }, "\(found) is not \(expected)")
            }
          }
        }
      }
    }
  }

  /// Sums of decimals may have digits at different places.
  private func isSame(_ left: AggregateValue, _ right: AggregateValue) -> Bool {
    switch (left, right) {
    case (.decimal(let left), .decimal(let right)): left.decimal == right.decimal
    case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
    default: left == right
    }
  }

  @Test func `counts, sums, extremes and groups are the same in any number of parts`() throws {
    try compare(people(3_000) { _, _ in })
  }

  @Test func `sums that leave the numbers of their type on the way are those of all records in turn`() throws {
    try compare(
      people(1_200) { index, values in
        values[2] = .double([1e308, 1e308, -1e308, -1e308][index * 4 / 1_200])
        values[3] = .decimal(index == 700 ? Decimal(string: "1e60") ?? 0 : Decimal(string: "0.000001") ?? 0)
      })
    try compare(people(1_200) { index, values in if index == 5 { values[2] = .double(.nan) } })
    // Beside the first ones the later ones have too many digits, and are gone at the end of each part.
    try compare(
      people(1_200) { index, values in
        values[3] = .decimal((Decimal(string: ["1e30", "1e-30", "-1e-30"][index < 2 ? 0 : index % 2 + 1]) ?? 0))
      })
  }

  @Test func `records with pages of their own are found, too`() throws {
    try compare(
      people(600) { index, values in
        if index.isMultiple(of: 100) { values[11] = .string(String(repeating: "long ", count: 2_000)) }
      })
  }

  @Test func `filters that look at other records are left to one thread`() {
    let own = RecordFilter.compare(Self.age, .equal, .int(1))
    #expect(RecordFilter.and([own, .not(.text(Self.name, .contains, "a"))]).isInRecord)
    #expect(!RecordFilter.or([own, .anyRelated(relationship: "tags", .all)]).isInRecord)
    #expect(!RecordFilter.not(.compare(FieldPath(8, 0), .equal, .string("A"))).isInRecord)
    #expect(!RecordFilter.oneOf(Self.age, (0..<1_000).map { .int($0) }).isInRecord)
  }

  @Test func `large tables are shared out, or not, as this machine allows`() throws {
    let sharing = ScanSharing()
    #expect(sharing.threads == nil && sharing.rowsOfPart == 4_096)
    #expect(ProcessorCores.count > 0)
    try QueryFixture.withSource(of: people(900) { _, _ in }, isIndexed: false) { source throws in
      source.sharing.rowsOfPart = 10
      var query = RecordQuery(entity: 0, filter: .compare(Self.age, .less, .int(500)))
      query.includesSubentities = false
      for _ in 0..<100 { #expect(try source.count(query) == 500) }
    }
  }
}
