import RecordStore
import TestSupport
import Testing

/// Questions about the records at the other end of a relationship: any, all, and how many, by plain counting.
struct RelatedFilterTests {
  /// Trip `t * 4 + m` has `t` stops and tags of which `m` match.
  private static let numbers = (0...3).flatMap { total in (0...total).map { (total: total, matching: $0) } }

  private func fill(_ store: RecordStore) throws {
    let names = try FixtureNames(store)
    var changes: [RecordChange] = []
    for kind in ["yes", "no"] {
      for number in 0..<3 {
        let id = fixtureID(UInt64(900 + number + (kind == "yes" ? 0 : 10)))
        changes.append(names.insert("Tag", id, ["name": .string("\(kind) \(number)")]))
      }
    }
    for (index, (total, matching)) in Self.numbers.enumerated() {
      let trip = fixtureID(UInt64(index))
      changes.append(names.insert("Trip", trip, ["name": .string("\(total) of which \(matching)")]))
      for number in 0..<total {
        let isMatching = number < matching
        let stop = fixtureID(UInt64(100 + index * 10 + number))
        changes.append(
          names.insert(
            "Stop", stop,
            [
              "title": .string(isMatching ? "yes" : "no"), "trip": .reference(trip), "position": .int(Int64(number)),
            ]))
        let tag = fixtureID(UInt64(isMatching ? 900 + number : 910 + number))
        changes.append(names.link("Trip", trip, "tags", tag))
      }
    }
    _ = try store.commit(SaveRequest(changes: changes))
  }

  @Test(arguments: ["stops", "tags"])
  func `any, all and how many are as counted`(relationship: String) throws {
    try withTemporaryStore { store throws in
      try fill(store)
      let names = try FixtureNames(store)
      let text = relationship == "stops" ? names.ordinal("Stop", "title") : names.ordinal("Tag", "name")
      let isMatching = RecordFilter.text(FieldPath(text), .hasPrefix, "yes")
      func expect(_ filter: RecordFilter, _ isWanted: ((total: Int, matching: Int)) -> Bool) throws {
        let expected = Self.numbers.indices.filter { isWanted(Self.numbers[$0]) }.map { fixtureID(UInt64($0)) }
        let query = RecordQuery(entity: names.entity("Trip"), filter: filter)
        #expect(try store.read { try $0.identifiers(query) } == expected, "\(filter)")
        let others = RecordQuery(entity: names.entity("Trip"), filter: .not(filter))
        #expect(try store.read { try $0.count(others) } == Self.numbers.count - expected.count, "not \(filter)")
      }
      try expect(.anyRelated(relationship: relationship, .all)) { $0.total > 0 }
      try expect(.anyRelated(relationship: relationship, .none)) { _ in false }
      try expect(.anyRelated(relationship: relationship, isMatching)) { $0.matching > 0 }
      try expect(.anyRelated(relationship: relationship, .not(isMatching))) { $0.matching < $0.total }
      try expect(.allRelated(relationship: relationship, .all)) { _ in true }
      try expect(.allRelated(relationship: relationship, .none)) { $0.total == 0 }
      try expect(.allRelated(relationship: relationship, isMatching)) { $0.matching == $0.total }
      try expect(.allRelated(relationship: relationship, .not(isMatching))) { $0.matching == 0 }
      for comparison in RecordFilter.Comparison.all {
        for count in -1...4 {
          let number = LadderStore.Value(.int(Int64(count)), count)
          try expect(.countRelated(relationship: relationship, isMatching, comparison, count)) {
            comparison.holds((.int(Int64($0.matching)), $0.matching), number)
          }
          try expect(.countRelated(relationship: relationship, .all, comparison, count)) {
            comparison.holds((.int(Int64($0.total)), $0.total), number)
          }
        }
      }
    }
  }

  @Test func `a to-one is a list of one, or of none`() throws {
    try withTemporaryStore { store throws in
      try fill(store)
      let names = try FixtureNames(store)
      let pass = names.entity("Pass")
      let (with, without, other) = (fixtureID(800), fixtureID(801), fixtureID(802))
      try store.save(
        names.insert("Pass", with, ["trip": .reference(fixtureID(0))]), names.insert("Pass", without),
        names.insert("Pass", other, ["trip": .reference(fixtureID(1))]))
      let isFirst = RecordFilter.compare(FieldPath(names.ordinal("Trip", "name")), .equal, .string("0 of which 0"))
      let rows: [(RecordFilter, [RecordID])] = [
        (.anyRelated(relationship: "trip", .all), [with, other]), (.anyRelated(relationship: "trip", isFirst), [with]),
        (.allRelated(relationship: "trip", isFirst), [with, without]),
        (.countRelated(relationship: "trip", .all, .equal, 0), [without]),
        (.countRelated(relationship: "trip", isFirst, .equal, 1), [with]),
      ]
      for (filter, expected) in rows {
        #expect(
          try store.read { try $0.identifiers(RecordQuery(entity: pass, filter: filter)) } == expected, "\(filter)")
      }
      // And from the side that stores nothing.
      let hasPass = RecordQuery(entity: names.entity("Trip"), filter: .anyRelated(relationship: "pass", .all))
      #expect(try store.read { try $0.identifiers(hasPass) } == [fixtureID(0), fixtureID(1)])
    }
  }

  @Test func `questions may be asked of the related of the related`() throws {
    try withTemporaryStore { store throws in
      try fill(store)
      let names = try FixtureNames(store)
      // Stops of trips that have a stop which does not match.
      let isOther = RecordFilter.compare(FieldPath(names.ordinal("Stop", "title")), .equal, .string("no"))
      let filter = RecordFilter.anyRelated(relationship: "trip", .anyRelated(relationship: "stops", isOther))
      let query = RecordQuery(entity: names.entity("Stop"), filter: filter)
      let expected = Self.numbers.reduce(0) { $0 + ($1.matching < $1.total ? $1.total : 0) }
      #expect(try store.read { try $0.count(query) } == expected)
    }
  }

  @Test func `a relationship that the entity does not have is refused by name`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      for filter in [
        RecordFilter.anyRelated(relationship: "hotels", .all), .allRelated(relationship: "hotels", .none),
        .countRelated(relationship: "hotels", .all, .equal, 0),
      ] {
        let error = #expect(throws: StoreError.self) {
          try store.read { try $0.count(RecordQuery(entity: names.entity("Trip"), filter: filter)) }
        }
        #expect(
          error?.message == "the query on Trip names the relationship 'hotels', which the entity does not have")
      }
    }
  }
}
