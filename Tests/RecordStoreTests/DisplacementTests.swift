import RecordStore
import TestSupport
import Testing

/// A save gives the target of a one-to-one relationship to another record: what it says of the former holder, and what
/// readers see of it then.
struct DisplacementTests {
  private let first = fixtureID(1)
  private let second = fixtureID(2)
  private let third = fixtureID(3)
  private let trip = fixtureID(11)
  private let other = fixtureID(12)

  private func passes(_ names: FixtureNames, _ store: RecordStore) throws {
    try store.save(
      names.insert("Trip", trip, ["name": .string("a")]), names.insert("Trip", other, ["name": .string("b")]),
      names.insert("Pass", first, ["trip": .reference(trip)]), names.insert("Pass", second),
      names.insert("Pass", third))
  }

  private func passesWithoutTrip(_ names: FixtureNames, _ store: RecordStore) throws -> [RecordID] {
    let filter = RecordFilter.compare(FieldPath(names.ordinal("Pass", "trip")), .equal, .null)
    let query = RecordQuery(entity: names.entity("Pass"), filter: filter)
    return try store.read { try $0.identifiers(query) }.sorted()
  }

  @Test(arguments: [false, true])
  func `the former holder reads nil, and the save says nothing of it`(writesNil: Bool) throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try passes(names, store)
      let nils = writesNil ? [names.update("Pass", first, ["trip": .null])] : []
      let result = try store.commit(
        SaveRequest(changes: nils + [names.update("Pass", second, ["trip": .reference(trip)])]))
      #expect(try store.value("Pass", first, "trip") == .null)
      #expect(try store.related("Trip", trip, "pass") == [second])
      #expect(try passesWithoutTrip(names, store) == [first, third])
      // Other contexts and processes are told of both, other devices of the new holder.
      #expect(Set(result.changes.map(\.id)) == [first, second])
      let facts = try #require(try store.read { try $0.facts(first, of: names.entity("Pass")) })
      #expect(facts.stamps.allSatisfy { $0 < result.stamp })
      #expect(facts.registers.contains { $0.value == .reference(trip) })
    }
  }

  @Test func `a target that is given up does not go back`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try passes(names, store)
      try store.save(names.update("Pass", second, ["trip": .reference(trip)]))
      let touch = try store.read { try $0.facts(first, of: names.entity("Pass"))?.touch }
      try store.save(names.update("Pass", second, ["trip": .reference(other)]))
      #expect(try store.value("Pass", first, "trip") == .null)
      #expect(try store.related("Trip", trip, "pass") == [])
      #expect(try passesWithoutTrip(names, store) == [first, third])
      // The nil gives no life.
      #expect(try store.read { try $0.facts(first, of: names.entity("Pass"))?.touch } == touch)
    }
  }

  @Test func `a target that is taken away within the save that gave it is not left with the first`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try passes(names, store)
      // The greater id would win between equal stamps.
      try store.save(
        names.update("Pass", third, ["trip": .reference(other)]),
        names.update("Pass", second, ["trip": .reference(other)]),
        names.update("Pass", second, ["trip": .reference(trip)]),
        names.update("Pass", first, ["trip": .reference(trip)]))
      #expect(try store.value("Pass", first, "trip") == .reference(trip))
      #expect(try store.value("Pass", second, "trip") == .null)
      #expect(try store.value("Pass", third, "trip") == .null)
    }
  }

  /// The trip takes its pass along when it goes, and the former holder is no pass of it any more.
  @Test(arguments: [false, true])
  func `the former holder stays when the target goes with its later holder`(atOnce: Bool) throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try passes(names, store)
      let taking = names.update("Pass", second, ["trip": .reference(trip)])
      if atOnce {
        try store.save(taking, names.delete("Trip", trip), names.update("Pass", first, ["trip": .reference(other)]))
        #expect(try store.value("Pass", first, "trip") == .reference(other))
      } else {
        try store.save(taking)
        try store.save(names.delete("Trip", trip))
        #expect(try store.value("Pass", first, "trip") == .null)
      }
      #expect(try store.isVisible("Pass", first))
      #expect(try !store.isVisible("Pass", second))
    }
  }

  /// The one that took it is gone before readers have seen it.
  @Test(arguments: [false, true])
  func `a target that is taken and given up within one save does not go back`(isDeleted: Bool) throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try passes(names, store)
      try store.save(
        names.update("Pass", second, ["trip": .reference(trip)]),
        names.update("Pass", third, ["trip": .reference(trip)]),
        isDeleted ? names.delete("Pass", third) : names.update("Pass", third, ["trip": .null]))
      #expect(try store.value("Pass", first, "trip") == .null)
      #expect(try store.value("Pass", second, "trip") == .null)
      #expect(try store.related("Trip", trip, "pass") == [])
    }
  }

  @Test func `a record that had a target and lost it does not forbid its delete`() throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Room",
        relationships: [
          RelationshipDefinition(name: "owner", destination: "Person", deleteRule: .deny, inverse: "room")
        ]),
      EntityDefinition(
        name: "Person", relationships: [RelationshipDefinition(name: "room", destination: "Room", inverse: "owner")]),
    ])
    try withTemporaryStore(schema: schema) { store throws in
      let names = try FixtureNames(store)
      try #require(names.catalogue.entity(named: "Person")?.field(named: "room") != nil)
      try store.save(
        names.insert("Room", trip), names.insert("Person", first, ["room": .reference(trip)]),
        names.insert("Person", second))
      try store.save(names.update("Person", second, ["room": .reference(trip)]))
      try store.save(names.delete("Person", second), names.delete("Room", trip))
      #expect(try store.value("Person", first, "room") == .null)
      #expect(try !store.isVisible("Room", trip))
    }
  }

  /// Else each save that passes a target on would look at all its former holders.
  @Test func `the last holder of a target alone is remembered`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try passes(names, store)
      let holders = (0..<20).map { fixtureID(100 + $0) }
      try store.save(names.insert("Trip", fixtureID(50), ["name": .string("c")]))
      for holder in holders { try store.save(names.insert("Pass", holder, ["trip": .reference(trip)])) }
      let remembering = try ([first] + holders).filter { id in
        try store.read { try $0.facts(id, of: names.entity("Pass")) }?.registers.contains {
          $0.value == .reference(trip)
        } ?? false
      }
      #expect(remembering == Array(holders.suffix(2)))
      #expect(try store.related("Trip", trip, "pass") == [holders[19]])
    }
  }

  /// Its owner keeps what goes with it: a cascade that the former holder declares does not start.
  @Test func `what goes with the former holder stays when the target is deleted`() throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Room",
        relationships: [
          RelationshipDefinition(name: "desk", destination: "Desk", deleteRule: .cascade, inverse: "room")
        ]),
      EntityDefinition(
        name: "Desk",
        relationships: [
          RelationshipDefinition(name: "room", destination: "Room", inverse: "desk"),
          RelationshipDefinition(name: "lamp", destination: "Lamp", deleteRule: .cascade),
        ]),
      EntityDefinition(name: "Lamp", attributes: [AttributeDefinition(name: "watts", type: .int)]),
    ])
    try withTemporaryStore(schema: schema) { store throws in
      let names = try FixtureNames(store)
      let (lamp, room) = (fixtureID(21), trip)
      try store.save(
        names.insert("Room", room), names.insert("Lamp", lamp, ["watts": .int(60)]),
        names.insert("Desk", first, ["room": .reference(room), "lamp": .reference(lamp)]), names.insert("Desk", second))
      try store.save(names.update("Desk", second, ["room": .reference(room)]))
      try store.save(names.delete("Room", room))
      #expect(try store.isVisible("Desk", first))
      #expect(try store.isVisible("Lamp", lamp))
      #expect(try !store.isVisible("Desk", second))
    }
  }
}
