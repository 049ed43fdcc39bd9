import RecordStore
import TestSupport
import Testing

/// Conditions, orders and keys that go through to-one references.
struct PathTests {
  /// Stops 11 to 14: of a rated trip, of one with the default, of a third, and one whose next stop is the first.
  private func withStops(_ body: (RecordStore, FixtureNames) throws -> Void) throws {
    try withTemporaryStore { store throws in
      let script = try RuleScript(store)
      for save in [
        "insert Trip 1 name=a rating=5; insert Trip 2 name=b; insert Trip 3 name=c rating=1",
        "insert City 7 name=x; insert City 8 name=y",
        "insert Stop 11 trip=#1 city=#8; insert Stop 12 trip=#2 city=#7; insert Stop 13 trip=#3 next=#12",
        "insert Stop 14 trip=#2 position=1 next=#11 city=#8",
      ] { _ = try store.commit(SaveRequest(changes: script.changes(save))) }
      try body(store, script.names)
    }
  }

  private func path(_ names: FixtureNames, _ fields: String...) -> FieldPath {
    var entity = "Stop"
    return FieldPath(
      ordinals: fields.map { field in
        let ordinal = names.ordinal(entity, field)
        entity = names.catalogue.entity(named: entity)?.fields[ordinal].destination ?? entity
        return ordinal
      })
  }

  private func stops(
    _ store: RecordStore, _ names: FixtureNames, _ filter: RecordFilter = .all, sort: [RecordQuery.SortKey] = []
  ) throws -> [UInt64] {
    let query = RecordQuery(entity: names.entity("Stop"), filter: filter, sort: sort)
    return try store.read { try $0.identifiers(query) }.map(\.low)
  }

  @Test func `a path reads the field at its end, and nil where a reference on the way is nil`() throws {
    try withStops { store, names throws in
      let (rating, city) = (path(names, "trip", "rating"), path(names, "city", "name"))
      let next = path(names, "next", "trip", "rating")
      let cases: [(RecordFilter, [UInt64])] = [
        (.compare(rating, .equal, .int(3)), [12, 14]), (.compare(rating, .greater, .int(3)), [11]),
        (.compare(city, .equal, .string("y")), [11, 14]), (.compare(city, .equal, .null), [13]),
        (.compare(city, .notEqual, .string("y")), [12, 13]), (.compare(city, .less, .string("z")), [11, 12, 14]),
        (.compare(next, .equal, .int(5)), [14]), (.compare(next, .equal, .null), [11, 12]),
        (.oneOf(next, [.int(3), .int(5)]), [13, 14]), (.text(city, .hasPrefix, "x"), [12]),
        (.localizedContains(city, "X"), [12]), (.compareFields(rating, .equal, next), []),
        (.compareFields(rating, .less, next), [13, 14]),
        (.compareFields(path(names, "city"), .equal, path(names, "next", "city")), [14]),
      ]
      for (filter, expected) in cases { #expect(try stops(store, names, filter) == expected, "\(filter)") }
    }
  }

  @Test func `records are sorted by what a path leads to, nil first`() throws {
    try withStops { store, names throws in
      let (city, rating) = (path(names, "city", "name"), path(names, "trip", "rating"))
      #expect(try stops(store, names, sort: [.init(city), .init(rating)]) == [13, 12, 14, 11])
      #expect(try stops(store, names, sort: [.init(city, isDescending: true), .init(rating)]) == [14, 11, 12, 13])
    }
  }

  @Test func `groups are by what a path leads to`() throws {
    try withStops { store, names throws in
      let request = AggregateQuery(
        RecordQuery(entity: names.entity("Stop")), keys: [path(names, "city", "name")],
        functions: [.count, .sum(path(names, "trip", "rating"))])
      let rows = try store.read { try $0.aggregate(request) }
      #expect(rows.map(\.keys) == [[.null], [.string("x")], [.string("y")]])
      #expect(rows.map(\.values) == [[.count(1), .integer(1)], [.count(1), .integer(3)], [.count(2), .integer(8)]])
    }
  }

  @Test func `a target that is deleted is nil at the end of a path, and its values again when it comes back`() throws {
    try withStops { store, names throws in
      let city = path(names, "next", "city", "name")
      #expect(try stops(store, names, .compare(city, .equal, .string("y"))) == [14])
      try store.save(names.delete("Stop", fixtureID(11)))
      #expect(try stops(store, names, .compare(city, .equal, .string("y"))) == [])
      #expect(try stops(store, names, .compare(city, .equal, .null)) == [12, 14])
      try store.save(
        names.insert("Stop", fixtureID(11), ["trip": .reference(fixtureID(1)), "city": .reference(fixtureID(7))]))
      #expect(try stops(store, names, .compare(city, .equal, .string("x"))) == [13, 14])
    }
  }

  @Test func `a path that contradicts the catalogue is refused`() throws {
    try withStops { store, names throws in
      let title = names.ordinal("Stop", "title")
      let paths = [
        FieldPath(ordinals: []), FieldPath(99), FieldPath(-1), FieldPath(title, 0),
        FieldPath(names.ordinal("Stop", "trip"), 99),
      ]
      for path in paths {
        for filter in [RecordFilter.compare(path, .equal, .null), .oneOf(path, [.null]), .text(path, .contains, "a")] {
          let error = #expect(throws: StoreError.self, "\(path.ordinals)") { try stops(store, names, filter) }
          #expect(error?.code == .invalidRequest)
        }
        let code = storeErrorCode { _ = try stops(store, names, sort: [.init(path)]) }
        #expect(code == .invalidRequest, "\(path.ordinals)")
      }
    }
  }
}
