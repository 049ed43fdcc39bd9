import Foundation
import RecordStore
import TestSupport
import Testing

/// Plans as text, over the schema that all tests of queries share.
@Suite struct QueryPlannerTests {
  @Test func `an equality uses the index that begins with its field`() throws {
    try expect(
      query(.compare(FieldPath(0), .equal, .string("Anna"))),
      """
      fetch Person
        index 0 on (name): name = "Anna"
      """)
  }

  @Test func `all values of a unique index are one look-up`() throws {
    let token = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    try expect(
      query(.compare(FieldPath(6), .equal, .uuid(token)), sort: [.init(FieldPath(1))]),
      """
      fetch Person
        look up in unique index 4 on (token): token = 00000000-0000-0000-0000-000000000001
      """)
    try expect(
      query(.compare(FieldPath(6), .equal, .null)),
      """
      fetch Person
        unique index 4 on (token): token = null
      """)
  }

  @Test func `equalities are followed by one range, and the rest is filtered`() throws {
    let filter = RecordFilter.and([
      .compare(FieldPath(1), .greaterOrEqual, .int(18)),
      .compare(FieldPath(8), .equal, .reference(QueryFixture.id(2, 1))),
      .compare(FieldPath(1), .less, .int(65)), .localizedContains(FieldPath(0), "ann"),
    ])
    try expect(
      query(filter, sort: [.init(FieldPath(0))]),
      """
      fetch Person
        index 13 on (team, age↓, name↓): team = 00000000000000010000000000000002 and age ≥ 18 and age < 65
        filter: name contains for people "ann"
        sort: name
      """)
  }

  @Test func `the order asked for comes from an index, from either end`() throws {
    let team = RecordFilter.compare(FieldPath(8), .equal, .reference(QueryFixture.id(2, 1)))
    let ascending = [RecordQuery.SortKey(FieldPath(1)), .init(FieldPath(0))]
    let mixed = [RecordQuery.SortKey(FieldPath(1)), .init(FieldPath(0), isDescending: true)]
    try expect(
      query(team, sort: ascending),
      """
      fetch Person
        index 13 on (team, age↓, name↓), backward: team = 00000000000000010000000000000002
      """)
    try expect(
      query(team, sort: mixed),
      """
      fetch Person
        index 6 on (team): team = 00000000000000010000000000000002
        sort: age, name↓
      """)
    try expect(
      query(team, sort: [.init(FieldPath(8), isDescending: true)] + ascending),
      """
      fetch Person
        index 13 on (team, age↓, name↓), backward: team = 00000000000000010000000000000002
      """)
    try expect(
      query(.all, sort: mixed, limit: 10),
      """
      fetch Person
        index 1 on (age, name↓)
        limit 10
      """)
  }

  @Test func `without a limit or a condition the table is read and sorted`() throws {
    try expect(
      query(
        .all, sort: [.init(FieldPath(0), comparison: .localizedStandard), .init(FieldPath(1), isDescending: true)]),
      """
      fetch Person
        scan the table
        sort: name as for people, age↓
      """)
  }

  @Test func `a text's beginning and a list of values are ranges`() throws {
    try expect(
      query(.and([.text(FieldPath(0), .hasPrefix, "An"), .text(FieldPath(0), .contains, "na")])),
      """
      fetch Person
        index 0 on (name): name begins with "An"
        filter: name begins with "An" and name contains "na"
        sort: id
      """)
    try expect(
      query(.oneOf(FieldPath(1), [.int(1), .int(2)])),
      """
      fetch Person
        index 1 on (age, name↓): age in [1, 2]
        sort: id
      """)
  }

  @Test func `what is always true or false is decided before`() throws {
    try expect(query(.compare(FieldPath(2), .less, .double(.nan))), "fetch Person\n  nothing can match")
    try expect(query(.oneOf(FieldPath(1), [])), "fetch Person\n  nothing can match")
    try expect(query(.not(.and([.none, .all]))), "fetch Person\n  scan the table")
  }

  @Test func `each entity of a family has its own branch`() throws {
    var query = query(.compare(FieldPath(0), .equal, .string("Anna")), limit: 5)
    query.includesSubentities = true
    query.offset = 2
    try expect(
      query,
      """
      fetch Person
        Person: index 0 on (name): name = "Anna"
        Employee: index 16 on (name): name = "Anna"
        sort: id
        limit 5, offset 2
      """)
  }

  @Test func `paths and relationships are filtered record by record`() throws {
    let filter = RecordFilter.or([
      .compare(FieldPath(8, 0), .equal, .string("A")),
      .countRelated(relationship: "tags", .compare(FieldPath(0), .notEqual, .string("x")), .greater, 2),
    ])
    try expect(
      query(filter),
      """
      fetch Person
        scan the table
        filter: team.title = "A" or count of tags (label ≠ "x") > 2
      """)
  }

  @Test func `named records are read by id`() throws {
    try expect(
      query(
        .and([.ids([QueryFixture.id(0, 2), QueryFixture.id(0, 4)]), .compare(FieldPath(5), .equal, .bool(true))])),
      """
      fetch Person
        2 records by id
        filter: active = true
      """)
  }

  @Test(arguments: [
    RecordFilter.compare(FieldPath(99), .equal, .int(1)), .compare(FieldPath(0), .equal, .int(1)),
    .compare(FieldPath(0, 1), .equal, .int(1)), .text(FieldPath(1), .contains, "1"),
    .anyRelated(relationship: "enemies", .all), .compareFields(FieldPath(0), .equal, FieldPath(1)),
    .compare(FieldPath(ordinals: []), .equal, .null), .oneOf(FieldPath(1), [.int(1), .string("1")]),
  ])
  func `a query that contradicts the catalogue is refused`(filter: RecordFilter) throws {
    try QueryFixture.withSource(of: [], isIndexed: true) { source throws in
      let error = #expect(throws: StoreError.self) { try source.fetch(query(filter)) }
      #expect(error?.code == .invalidRequest)
    }
  }

  @Test func `an unknown entity, a negative limit and an unknown sort key are refused`() throws {
    try QueryFixture.withSource(of: [], isIndexed: true) { source throws in
      for query in [
        RecordQuery(entity: 9), RecordQuery(entity: -1), RecordQuery(entity: 0, limit: -1),
        RecordQuery(entity: 0, offset: -1), RecordQuery(entity: 0, sort: [.init(FieldPath(77))]),
      ] {
        let error = #expect(throws: StoreError.self) { try source.count(query) }
        #expect(error?.code == .invalidRequest)
      }
    }
  }

  private func query(
    _ filter: RecordFilter, sort: [RecordQuery.SortKey] = [], limit: Int? = nil
  ) -> RecordQuery {
    RecordQuery(entity: 0, filter: filter, sort: sort, limit: limit, includesSubentities: false)
  }

  private func expect(
    _ query: RecordQuery, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try QueryFixture.withSource(of: [], isIndexed: true) { source throws in
      #expect(try source.explain(query) == text, sourceLocation: sourceLocation)
    }
  }
}
