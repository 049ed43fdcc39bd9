import Foundation
import LMDB
import RecordStore
import TestSupport
import Testing

@Suite struct QueryExecutionTests {
  /// Persons with ages 0, 1, 2, …
  private func people(_ count: Int) -> [QueryFixture.Record] {
    (0..<count).map { index in
      var values = [FieldValue?](repeating: .null, count: QueryFixture.personFields.count)
      values[0] = .string("name \(index % 10)")
      values[1] = .int(Int64(index))
      values[5] = .bool(true)
      values[6] = .uuid(UUID(uuid: (UInt8(index / 256), UInt8(index % 256), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
      values[9] = .uint(0)
      values[11] = .string("")
      return QueryFixture.Record(entity: 0, id: QueryFixture.id(0, index), values: values, dangling: [])
    }
  }

  /// A small part of an index is read through it, a large part by a scan; both must find the same.
  @Test func `a range finds the same records whatever part of the table it holds`() throws {
    try QueryFixture.withSource(of: people(2_000), isIndexed: true) { source throws in
      for bound in [0, 1, 249, 250, 251, 252, 1_000, 1_999, 2_000] {
        var query = RecordQuery(entity: 0, filter: .compare(FieldPath(1), .less, .int(Int64(bound))))
        query.includesSubentities = false
        #expect(try source.identifiers(query) == (0..<bound).map { QueryFixture.id(0, $0) })
        #expect(try source.count(query) == bound)
      }
    }
  }

  @Test func `conditions of thousands of terms, and of none, hold as all or one of them do`() throws {
    try QueryFixture.withSource(of: people(300), isIndexed: false) { source throws in
      let ages = (0..<3_000).map { RecordFilter.compare(FieldPath(1), .equal, .int(Int64($0 * 2))) }
      let cases: [(filter: RecordFilter, count: Int)] = [
        (.or(ages), 150), (.and(ages.map { .not($0) }), 150), (.or([]), 0), (.and([]), 300),
      ]
      for (filter, count) in cases {
        var query = RecordQuery(entity: 0, filter: filter)
        query.includesSubentities = false
        #expect(try source.count(query) == count)
      }
    }
  }

  /// Read through the index as long as that costs less, then by a scan that goes on where the index stopped.
  @Test func `an index that gives the order is left for a scan without losing or repeating a record`() throws {
    try QueryFixture.withSource(of: people(2_000), isIndexed: true) { source throws in
      for (index, isDescending) in [(0, false), (1, true), (2, false), (3, true)] {
        for bound in [5, 249, 251, 1_999] {
          let sort = [
            RecordQuery.SortKey(FieldPath(1), isDescending: isDescending),
            .init(FieldPath(0), isDescending: !isDescending),
          ]
          let isRare = RecordFilter.compare(FieldPath(0), .greater, .string("name 6"))
          let range = RecordFilter.compare(FieldPath(1), .less, .int(Int64(bound)))
          var query = RecordQuery(entity: 0, filter: .and([range] + (index < 2 ? [] : [isRare])), sort: sort)
          query.includesSubentities = false
          #expect(try source.explain(query).contains("sort:") == false)
          let all = (0..<bound).filter { index < 2 || $0 % 10 > 6 }.map { QueryFixture.id(0, $0) }
          let expected = isDescending ? all.reversed() : all
          #expect(try source.identifiers(query) == expected)
          #expect(try source.count(query) == expected.count)
          query.limit = 100
          query.offset = 3
          #expect(try source.identifiers(query) == Array(expected.dropFirst(3).prefix(100)))
        }
      }
    }
  }

  /// Taken by its id before it is looked up, or given as a row: together they are the result.
  @Test func `records that the caller takes by their id are counted as those that are given as rows`() throws {
    try QueryFixture.withSource(of: people(2_000), isIndexed: true) { source throws in
      for (limit, offset) in [(nil, 0), (100, 3), (300, 260), (7, 1_990), (1, 0)] as [(Int?, Int)] {
        for (interval, isDescending) in [(1, false), (2, true), (3, false), (7, true), (5_000, false)] {
          let sort = [
            RecordQuery.SortKey(FieldPath(1), isDescending: isDescending),
            .init(FieldPath(0), isDescending: !isDescending),
          ]
          let filter = RecordFilter.compare(FieldPath(1), .less, .int(1_999))
          var query = RecordQuery(entity: 0, filter: filter, sort: sort, limit: limit, offset: offset)
          query.includesSubentities = false
          var (found, asked): ([RecordID], Int) = ([], 0)
          try source.forEachRow(
            query,
            taking: { id in
              asked += 1
              guard asked.isMultiple(of: interval) else { return false }
              found.append(id)
              return true
            },
            { row in
              found.append(row.id)
              return true
            })
          #expect(try found == source.identifiers(query), "every \(interval), limit \(limit ?? -1), offset \(offset)")
        }
      }
    }
  }

  /// Rows are looked up together where their pages hold them; a long one has pages of its own.
  @Test func `rows that are too long for a page are found among short ones`() throws {
    let people = people(300).enumerated().map { place, record in
      var values = record.values
      if place.isMultiple(of: 3) { values[11] = .string(String(repeating: "long", count: 2_000)) }
      return QueryFixture.Record(entity: 0, id: record.id, values: values, dangling: [])
    }
    try QueryFixture.withSource(of: people, isIndexed: true) { source throws in
      let filter = RecordFilter.compare(FieldPath(1), .less, .int(60))
      for sort in [[RecordQuery.SortKey(FieldPath(1)), .init(FieldPath(0), isDescending: true)], []] {
        var query = RecordQuery(entity: 0, filter: filter, sort: sort)
        query.includesSubentities = false
        let found = try source.fetch(query)
        #expect(found.map(\.id) == people[..<60].map(\.id))
        #expect(found.map { $0.byteCount > 8_000 } == (0..<60).map { $0.isMultiple(of: 3) })
      }
    }
  }

  @Test func `a window of a sort over many records is what sorting all gives`() throws {
    try QueryFixture.withSource(of: people(5_000), isIndexed: false) { source throws in
      let sort = [RecordQuery.SortKey(FieldPath(0), isDescending: true), .init(FieldPath(1), isDescending: true)]
      let all = try source.identifiers(RecordQuery(entity: 0, sort: sort))
      #expect(all.count == 5_000)
      #expect(all.first == QueryFixture.id(0, 4_999) && all.last == QueryFixture.id(0, 0))
      let window = try source.identifiers(RecordQuery(entity: 0, sort: sort, limit: 7, offset: 11))
      #expect(window == Array(all[11..<18]))
      #expect(try source.identifiers(RecordQuery(entity: 0, sort: sort, limit: .max, offset: 4_990)).count == 10)
      #expect(try source.count(RecordQuery(entity: 0, sort: sort, limit: .max, offset: .max)) == 0)
      #expect(try source.identifiers(RecordQuery(entity: 0, sort: sort, limit: .max)) == all)
    }
  }

  @Test func `names can be sorted as people expect`() throws {
    let people = people(30).map { record in
      var values = record.values
      values[0] = .string("Person \(record.id.high)")
      return QueryFixture.Record(entity: 0, id: record.id, values: values, dangling: [])
    }
    try QueryFixture.withSource(of: people, isIndexed: true) { source throws in
      for isDescending in [false, true] {
        let key = RecordQuery.SortKey(FieldPath(0), isDescending: isDescending, comparison: .localizedStandard)
        let ids = try source.identifiers(RecordQuery(entity: 0, sort: [key], limit: 12))
        let expected = isDescending ? Array((18..<30).reversed()) : Array(0..<12)
        #expect(ids == expected.map { QueryFixture.id(0, $0) })
      }
    }
  }

  @Test func `batches hold every record once, in order, until the reader stops`() throws {
    try QueryFixture.withSource(of: people(25), isIndexed: true) { source throws in
      let query = RecordQuery(entity: 0, sort: [.init(FieldPath(1), isDescending: true)])
      var sizes: [Int] = []
      var ids: [RecordID] = []
      try source.forEachBatch(query, of: 10) { batch in
        sizes.append(batch.count)
        ids += batch.map(\.id)
        return true
      }
      #expect(sizes == [10, 10, 5])
      #expect(ids == (0..<25).reversed().map { QueryFixture.id(0, $0) })
      sizes = []
      try source.forEachBatch(query, of: 10) { batch in
        sizes.append(batch.count)
        return false
      }
      #expect(sizes == [10])
    }
  }

  @Test func `a unique index names the one record of its values`() throws {
    try QueryFixture.withSource(of: people(300), isIndexed: true) { source throws in
      let entity = source.catalogue.entities[0]
      let index = try #require(entity.indexes.first { $0.isUnique })
      let token = FieldValue.uuid(UUID(uuid: (1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
      #expect(try source.lookUp(index, [token]) == QueryFixture.id(0, 258))
      #expect(try source.lookUp(index, [.null]) == nil)
      #expect(try source.lookUp(index, [.uuid(UUID())]) == nil)
    }
  }

  @Test func `a damaged record is refused when it is copied out`() throws {
    try QueryFixture.withSource(of: people(3), isIndexed: false) { source throws in
      try QueryFixture.withSource(of: people(3), isIndexed: false) { other throws in
        let wrong = QuerySource(
          transaction: other.transaction, catalogue: other.catalogue,
          records: other.records.map { _ in other.records[0] },
          indexes: [:])
        // Persons read as if they were teams: the checksum is seeded with the entity.
        let error = try #require(throws: StoreError.self) {
          try wrong.fetch(RecordQuery(entity: 2, includesSubentities: false))
        }
        #expect(error.code == .damaged)
        #expect(try source.fetch(RecordQuery(entity: 0)).count == 3)
      }
    }
  }

  /// Each way to the records: the table, an index with equalities, a range, cut keys, a unique value, ids, nothing.
  private static let pagedFilters: [RecordFilter] = [
    .all, .none, .compare(FieldPath(0), .equal, .string("name 3")), .compare(FieldPath(1), .greater, .int(150)),
    .compare(FieldPath(5), .equal, .bool(true)), .compare(FieldPath(2), .equal, .null),
    .compare(FieldPath(11), .equal, .string("")), .oneOf(FieldPath(0), [.string("name 1"), .string("name 2")]),
    .compare(FieldPath(6), .equal, .uuid(UUID(uuid: (0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))),
    .ids([QueryFixture.id(0, 4), QueryFixture.id(0, 40), QueryFixture.id(0, 299)]),
    .and([.compare(FieldPath(1), .less, .int(280)), .text(FieldPath(0), .hasSuffix, "7")]),
  ]

  @Test(arguments: [true, false])
  func `a query that goes on behind a record gives what the whole query gives behind it`(isIndexed: Bool) throws {
    try QueryFixture.withSource(of: people(300), isIndexed: isIndexed) { source throws in
      for (filter, includesSubentities) in Self.pagedFilters.flatMap({ [($0, true), ($0, false)] }) {
        let whole = RecordQuery(entity: 0, filter: filter, includesSubentities: includesSubentities)
        let ids = try source.identifiers(whole)
        for place in [0, 3, 4, 150, 298, 299] {
          var rest = whole
          rest.behind = QueryFixture.id(0, place)
          let expected = ids.filter { QueryFixture.id(0, place) < $0 }
          #expect(try source.identifiers(rest) == expected, "\(filter) behind \(place)")
          #expect(try source.count(rest) == expected.count, "\(filter) behind \(place)")
          rest.limit = 7
          #expect(try source.identifiers(rest) == Array(expected.prefix(7)), "\(filter) behind \(place)")
        }
      }
    }
  }

  @Test func `a query behind the least and the greatest id gives the others and nothing, and refuses an order`() throws
  {
    try QueryFixture.withSource(of: people(10), isIndexed: false) { source throws in
      var query = RecordQuery(entity: 0)
      query.behind = RecordID(high: 0, low: 0)
      #expect(try source.identifiers(query) == (1..<10).map { QueryFixture.id(0, $0) })
      query.behind = RecordID(high: .max, low: .max)
      #expect(try source.identifiers(query).isEmpty)
      query.sort = [.init(FieldPath(1))]
      #expect(storeErrorCode { _ = try source.identifiers(query) } == .invalidRequest)
    }
  }
}
