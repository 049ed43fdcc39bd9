import Foundation
import RecordStore
import TestSupport
import Testing

/// Queries over a store that commits have written: what the engine keeps for them must fit what they read.
@Suite struct StoreQueryTests {
  private func ids(_ store: RecordStore, _ entity: String, _ filter: RecordFilter) throws -> [RecordID] {
    let query = RecordQuery(entity: try FixtureNames(store).entity(entity), filter: filter)
    return try store.read { snapshot in
      let ids = try snapshot.identifiers(query)
      #expect(try snapshot.count(query) == ids.count)
      #expect(try snapshot.fetch(query).map(\.id) == ids)
      return ids
    }
  }

  @Test func `many-to-many relationships are found from both sides, and lost when one side goes`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let (rome, oslo, sea, city) = (fixtureID(1), fixtureID(2), fixtureID(3), fixtureID(4))
      try store.save(
        names.insert("Trip", rome, ["name": .string("Rome")]), names.insert("Trip", oslo, ["name": .string("Oslo")]),
        names.insert("Tag", sea, ["name": .string("sea")]), names.insert("Tag", city, ["name": .string("city")]),
        names.link("Trip", rome, "tags", sea), names.link("Trip", rome, "tags", city),
        names.link("Tag", city, "trips", oslo))
      let isSea = RecordFilter.compare(FieldPath(names.ordinal("Tag", "name")), .equal, .string("sea"))
      #expect(try ids(store, "Trip", .anyRelated(relationship: "tags", isSea)) == [rome])
      #expect(try ids(store, "Trip", .allRelated(relationship: "tags", .not(isSea))) == [oslo])
      #expect(try ids(store, "Tag", .countRelated(relationship: "trips", .all, .equal, 2)) == [city])
      try store.save(names.delete("Tag", sea))
      #expect(try ids(store, "Trip", .anyRelated(relationship: "tags", isSea)) == [])
      #expect(try ids(store, "Trip", .countRelated(relationship: "tags", .all, .equal, 1)) == [rome, oslo])
    }
  }

  @Test func `a reference to a deleted record is null for queries, by index and by path`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let (trip, first, second) = (fixtureID(1), fixtureID(2), fixtureID(3))
      try store.save(
        names.insert("Trip", trip, ["name": .string("Rome")]),
        names.insert("Stop", first, ["trip": .reference(trip), "title": .string("a")]),
        names.insert(
          "Stop", second,
          ["trip": .reference(trip), "title": .string("b"), "position": .int(1), "next": .reference(first)]))
      let next = names.ordinal("Stop", "next")
      let title = FieldPath(next, names.ordinal("Stop", "title"))
      #expect(try ids(store, "Stop", .compare(title, .equal, .string("a"))) == [second])
      #expect(try ids(store, "Stop", .anyRelated(relationship: "previous", .all)) == [first])
      try store.save(names.delete("Stop", first))
      #expect(try ids(store, "Stop", .compare(FieldPath(next), .equal, .null)) == [second])
      #expect(try ids(store, "Stop", .compare(FieldPath(next), .equal, .reference(first))) == [])
      #expect(try ids(store, "Stop", .compare(title, .equal, .null)) == [second])
    }
  }

  @Test func `a record is found under each id of its alias class`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let (greater, smaller, stop) = (fixtureID(9), fixtureID(3), fixtureID(10))
      try store.save(
        names.insert("Trip", greater, ["name": .string("Rome")]),
        names.insert("Stop", stop, ["trip": .reference(greater), "title": .string("a")]))
      try mergeTrip(smaller, named: "Rome", into: store)
      #expect(try ids(store, "Trip", .all) == [smaller])
      let trip = FieldPath(names.ordinal("Stop", "trip"))
      for id in [greater, smaller] {
        #expect(try ids(store, "Trip", .ids([id])) == [smaller])
        #expect(try ids(store, "Stop", .compare(trip, .equal, .reference(id))) == [stop])
        #expect(try ids(store, "Stop", .oneOf(trip, [.reference(id), .null])) == [stop])
      }
    }
  }

  /// Another replica's insert of a trip.
  private func mergeTrip(_ id: RecordID, named name: String, into store: RecordStore) throws {
    let names = try FixtureNames(store)
    let replica = ReplicaID(77)
    let stamp = Stamp(time: 1_000, counter: 0, replica: replica)
    let trip = try #require(names.catalogue.entity(named: "Trip"))
    let registers = trip.fields.map { field in
      let value = field.name == "name" ? .string(name) : field.valueWhenAbsent
      return RecordFacts.Register(ordinal: field.ordinal, value: value, stamp: stamp)
    }
    let facts = RecordFacts(entity: trip.number, id: id, isInserted: true, touch: stamp, registers: registers)
    let transaction = TransactionFacts(
      dot: Dot(replica: replica, sequence: 1), stamp: stamp, author: nil, context: VersionVector(), records: [facts])
    _ = try store.commit(.merging([transaction]))
  }

  @Test func `a unique value names its record, and only a unique index can be asked`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let long = String(repeating: "very long ", count: 80)
      try store.save(
        names.insert("Trip", fixtureID(1), ["name": .string("E\u{301}tretat")]),
        names.insert("Trip", fixtureID(2), ["name": .string(long)]),
        names.insert("Trip", fixtureID(3), ["name": .string(long + "x")]))
      let trip = try #require(names.catalogue.entity(named: "Trip"))
      let unique = try #require(trip.indexes.first { $0.isUnique })
      let other = try #require(trip.indexes.first { !$0.isUnique })
      try store.read { snapshot throws in
        #expect(try snapshot.lookUp(unique, of: trip.number, values: [.string("Étretat")]) == fixtureID(1))
        #expect(try snapshot.lookUp(unique, of: trip.number, values: [.string(long)]) == fixtureID(2))
        #expect(try snapshot.lookUp(unique, of: trip.number, values: [.string("Oslo")]) == nil)
        #expect(
          storeErrorCode { _ = try snapshot.lookUp(other, of: trip.number, values: [.int(3)]) } == .invalidRequest)
        #expect(
          storeErrorCode { _ = try snapshot.lookUp(unique, of: trip.number, values: [.int(3)]) } == .invalidRequest)
      }
      let name = FieldPath(names.ordinal("Trip", "name"))
      #expect(try ids(store, "Trip", .compare(name, .equal, .string(long + "x"))) == [fixtureID(3)])
      #expect(try ids(store, "Trip", .compare(name, .greater, .string(long))) == [fixtureID(1), fixtureID(3)])
    }
  }

  @Test func `a look-up by a unique value gives what a plan gives`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let texts = ["Rome", "E\u{301}tretat", String(repeating: "very long ", count: 80)]
      for (number, text) in texts.enumerated() {
        try store.save(names.insert("Trip", fixtureID(UInt64(number + 1)), ["name": .string(text)]))
      }
      let (trip, name) = (names.entity("Trip"), names.ordinal("Trip", "name"))
      let values = texts.map { FieldValue.string($0) } + [.string("Étretat"), .string("Oslo"), .null, .int(1)]
      try store.read { snapshot throws in
        for (entity, ordinal) in [(trip, name), (trip, name + 1), (trip, 999), (999, name)] {
          for value in values {
            for (limit, offset) in [(nil, 0), (1, 0), (0, 0), (5, 0), (nil, 1)] as [(Int?, Int)] {
              var query = RecordQuery(entity: entity, filter: .compare(FieldPath(ordinal), .equal, value))
              (query.limit, query.offset) = (limit, offset)
              let planned = Result { try snapshot.querySource.fetch(query) }
              let found = Result { try snapshot.fetch(query) }
              switch (planned, found) {
              case (.success(let planned), .success(let found)): #expect(planned.map(\.id) == found.map(\.id))
              case (.failure, .failure): break
              default: Issue.record("one of both is refused: \(query)")
              }
            }
          }
        }
        #expect(snapshot.uniqueField(name, of: trip, type: .string) != nil)
        #expect(snapshot.uniqueField(name, of: trip, type: .int) == nil)
      }
    }
  }
}
