import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Which dead records may leave a store, and what is left of records of which facts were forgotten.
struct CollectionRuleTests {
  private let trip = fixtureID(1)
  private let stop = fixtureID(2)
  private let city = fixtureID(3)
  private let tag = fixtureID(4)
  private let pass = fixtureID(5)
  private let next = fixtureID(6)

  /// A trip with a stop in a city, a tag and a pass.
  private func withTrip(_ body: (RecordStore, FixtureNames, ManualClock) throws -> Void) throws {
    let clock = ManualClock()
    try withTemporaryStore(clock: clock.wallClock) { store in
      let names = try FixtureNames(store)
      try store.save(
        names.insert("Trip", trip, ["name": .string("one")]), names.insert("City", city, ["name": .string("city")]),
        names.insert("Stop", stop, ["title": .string("a"), "trip": .reference(trip), "city": .reference(city)]),
        names.insert("Tag", tag, ["name": .string("tag")]), names.insert("Pass", pass, ["trip": .reference(trip)]),
        names.link("Trip", trip, "tags", tag))
      clock.advance(byMilliseconds: 10)
      try body(store, names, clock)
    }
  }

  /// Names and low halves of ids, without those of links.
  private func collectable(
    _ store: RecordStore, within cut: VersionVector? = nil, before milliseconds: UInt64 = .max
  ) throws -> [String] {
    try store.read { snapshot throws in
      let cut = try cut ?? snapshot.versionVector
      return try snapshot.collectableRecords(within: cut, beforeMilliseconds: milliseconds).compactMap { record in
        let entity = snapshot.catalogue.entities[record.entity]
        return entity.isJoin ? nil : "\(entity.name) \(record.id.low)"
      }.sorted()
    }
  }

  private func forget(_ names: [(entity: String, id: RecordID)], in store: RecordStore) throws {
    let fixture = try FixtureNames(store)
    var work = MaintenanceWork()
    let records = names.map { Forgetting.Record(entity: fixture.entity($0.entity), id: $0.id) }
    work.forgettings = [Forgetting(records: records, covered: try store.read { try $0.versionVector })]
    _ = try store.commit(SaveRequest(.maintenance(work)))
  }

  private func facts(_ store: RecordStore, _ entity: String, _ id: RecordID) throws -> RecordFacts? {
    let number = try FixtureNames(store).entity(entity)
    return try store.read { snapshot throws in
      var found: RecordFacts?
      try snapshot.forEachFacts(of: number) { facts, _ in if facts.id == id { found = facts } }
      return found
    }
  }

  @Test func `a deleted record may go with all that goes with it, and nothing that lives`() throws {
    try withTrip { store, names, _ in
      #expect(try collectable(store).isEmpty)
      try store.save(names.delete("Trip", trip))
      #expect(try collectable(store) == ["Pass 5", "Stop 2", "Trip 1"])
    }
  }

  @Test func `a delete beyond the cut, or later than the moment, stays`() throws {
    try withTrip { store, names, clock in
      let before = try store.read { try $0.versionVector }
      let moment = clock.milliseconds
      try store.save(names.delete("Trip", trip))
      #expect(try collectable(store, within: before).isEmpty)
      #expect(try collectable(store, before: moment - 1).isEmpty)
      #expect(try collectable(store, before: moment).contains("Trip 1"))
    }
  }

  @Test func `an edit beyond the cut holds its record and what its life hangs on`() throws {
    let family = try ReplicaFamily(count: 2)
    let (store, other) = (family.stores[0].store, family.stores[1].store)
    let names = try FixtureNames(store)
    try store.save(
      names.insert("Trip", trip, ["name": .string("one")]), names.insert("Pass", pass, ["trip": .reference(trip)]),
      names.insert("Stop", stop, ["title": .string("a"), "trip": .reference(trip)]))
    try family.pull(into: 1, from: 0)
    // Later than the edit, which does not give the stop back.
    family.clocks[0].advance(byMilliseconds: 10)
    try store.save(names.delete("Trip", trip))
    let cut = try store.read { try $0.versionVector }
    #expect(try collectable(store, within: cut) == ["Pass 5", "Stop 2", "Trip 1"])
    try other.save(names.update("Stop", stop, ["title": .string("b")]))
    try family.pull(into: 0, from: 1)
    #expect(try !store.isVisible("Stop", stop))
    // The stop stays, so the trip does, on which its death hangs, and so does the pass.
    #expect(try collectable(store, within: cut).isEmpty)
    #expect(try collectable(store) == ["Pass 5", "Stop 2", "Trip 1"])
    try family.check()
  }

  @Test func `a reference that reads nil does not hold its target`() throws {
    try withTrip { store, names, _ in
      let fields: [String: FieldValue] = ["title": .string("b"), "trip": .reference(trip), "position": .int(1)]
      try store.save(names.insert("Stop", next, fields), names.update("Stop", stop, ["next": .reference(next)]))
      try store.save(names.delete("Stop", next))
      #expect(try collectable(store) == ["Stop 6"])
      try forget([("Stop", next)], in: store)
      #expect(try facts(store, "Stop", next) == nil)
      #expect(try store.value("Stop", stop, "next") == .null)
    }
  }

  @Test func `records that share a row never go`() throws {
    let family = try ReplicaFamily(count: 2)
    let names = try FixtureNames(family.stores[0].store)
    for device in 0..<2 {
      family.clocks[device].advance(byMilliseconds: UInt64(device + 1))
      try family.stores[device].store.save(
        names.insert("Tag", fixtureID(UInt64(10 + device)), ["name": .string("equal")]))
    }
    try family.exchangeAll()
    let store = family.stores[0].store
    try store.save(names.insert("Tag", tag, ["name": .string("other")]))
    try store.save(names.delete("Tag", fixtureID(10)), names.delete("Tag", tag))
    #expect(try collectable(store) == ["Tag 4"])
    try family.check()
  }

  @Test func `what was forgotten is as unknown as what never was, and may be inserted again`() throws {
    try withTrip { store, names, clock in
      try store.save(names.delete("Trip", trip))
      try forget([("Trip", trip), ("Stop", stop), ("Pass", pass)], in: store)
      for (entity, id) in [("Trip", trip), ("Stop", stop), ("Pass", pass)] {
        #expect(try facts(store, entity, id) == nil, "\(entity)")
      }
      #expect(try collectable(store).isEmpty)
      clock.advance()
      try store.save(names.insert("Trip", trip, ["name": .string("new")]))
      #expect(try store.value("Trip", trip, "name") == .string("new"))
      #expect(try store.related("Trip", trip, "stops").isEmpty)
    }
  }

  @Test func `forgetting twice, or what is not there, changes nothing`() throws {
    try withTrip { store, names, _ in
      try store.save(names.delete("Trip", trip))
      try forget([("Trip", trip)], in: store)
      let number = try store.read { try $0.lastTransactionNumber }
      try forget([("Trip", trip), ("Tag", fixtureID(99))], in: store)
      #expect(try facts(store, "Trip", trip) == nil)
      #expect(try store.isVisible("Tag", tag) && store.isVisible("City", city))
      #expect(try store.read { try $0.lastTransactionNumber } >= number)
    }
  }

  @Test func `the dead among some records are those that were deleted and those that lack what they need`() throws {
    try withTrip { store, names, _ in
      try store.save(names.delete("Trip", trip))
      let asked = [("Trip", trip), ("Stop", stop), ("Tag", tag), ("City", city), ("Tag", fixtureID(99))].map {
        Forgetting.Record(entity: names.entity($0.0), id: $0.1)
      }
      let dead = try store.read { try $0.dead(among: asked) }
      #expect(dead == Set(asked.prefix(2)))
    }
  }

  @Test func `a record that is said again has its values under a new stamp, and outlives the delete`() throws {
    try withTrip { store, names, clock in
      let before = try #require(try facts(store, "Tag", tag))
      let deleted = try #require(before.touch)
      clock.advance(byMilliseconds: 5)
      var work = MaintenanceWork()
      let void = try store.read { try $0.versionVector }
      work.restatements = [Restatement(entity: names.entity("Tag"), id: tag, deleted: deleted, void: void)]
      let result = try store.commit(SaveRequest(.maintenance(work)))
      let after = try #require(try facts(store, "Tag", tag))
      #expect(after.registers.map(\.value) == before.registers.map(\.value))
      #expect(after.stamps.filter { $0 != deleted }.allSatisfy { $0 == result.stamp })
      #expect(after.deleted == deleted && after.life.map { $0 > deleted } == true)
      #expect(try store.isVisible("Tag", tag))
      #expect(try store.related("Tag", tag, "trips") == [trip])
    }
  }

  @Test func `a row stays what its records say when one of them is said again`() throws {
    try withTrip { store, names, clock in
      // Another device has made the same tag, without knowing of this one.
      var twin = try #require(try facts(store, "Tag", tag))
      let own = try #require(twin.touch)
      let foreign = Stamp(time: own.time, counter: own.counter, replica: ReplicaID(77))
      twin.id = fixtureID(1_000)
      twin.touch = foreign
      twin.registers = twin.registers.map {
        RecordFacts.Register(ordinal: $0.ordinal, value: $0.value, stamp: foreign)
      }
      try store.restore(RestoredFacts(records: [twin]))
      try expectSound(store)
      clock.advance(byMilliseconds: 5)
      var work = MaintenanceWork()
      let void = try store.read { try $0.versionVector }
      let deleted = max(own, foreign)
      work.restatements = [Restatement(entity: names.entity("Tag"), id: twin.id, deleted: deleted, void: void)]
      _ = try store.commit(SaveRequest(.maintenance(work)))
      #expect(try facts(store, "Tag", tag)?.deleted == deleted)
      #expect(try store.isVisible("Tag", tag))
      try expectSound(store)
    }
  }
}
