import RecordStore
import TestSupport
import Testing

/// Records that share a row: what saves say of them, and what is kept to decide about them later.
struct AliasClassTests {
  private let first = fixtureID(1)
  private let second = fixtureID(2)

  /// Trips of one name, made apart on the stores 0 and 1, which both know each other's.
  private func joined() throws -> (ReplicaFamily, FixtureNames) {
    let family = try ReplicaFamily(count: 3)
    let names = try FixtureNames(family.stores[0].store)
    try family.stores[0].store.save(names.insert("Trip", first, ["name": .string("x")]))
    family.clocks[1].advance(byMilliseconds: 10)
    try family.stores[1].store.save(names.insert("Trip", second, ["name": .string("x"), "rating": .int(2)]))
    try family.pull(into: 0, from: 1)
    try family.pull(into: 1, from: 0)
    return (family, names)
  }

  @Test func `a new unique value is said of every record that the row shows`() throws {
    let (family, names) = try joined()
    try family.stores[0].store.save(names.update("Trip", first, ["name": .string("y"), "rating": .int(5)]))
    let facts = try #require(try family.outgoing(of: 0, after: 1).first).records
    #expect(facts.map(\.id) == [first, second])
    #expect(facts.map { $0.registers.map(\.value) } == [[.string("y"), .int(5)], [.string("y")]])
    #expect(facts.allSatisfy { $0.touch != nil })
    try family.check()
  }

  @Test func `a delete is said of every record that the row shows, other edits of one`() throws {
    let (family, names) = try joined()
    try family.stores[0].store.save(names.update("Trip", second, ["rating": .int(5)]))
    try family.stores[0].store.save(names.delete("Trip", first))
    let facts = try family.outgoing(of: 0, after: 1).map(\.records)
    #expect(facts.map { $0.map(\.id) } == [[first], [first, second]])
    #expect(facts[1].allSatisfy { $0.deleted != nil && $0.touch == nil })
    try family.check()
  }

  @Test func `an insert of a value that a shared row has becomes an update under the row's id`() throws {
    let (family, names) = try joined()
    let result = try family.stores[0].store.save(
      names.insert("Trip", fixtureID(3), ["name": .string("x"), "rating": .int(7)]))
    #expect(result.remapped == [fixtureID(3): first])
    #expect(try family.stores[0].store.value("Trip", second, "rating") == .int(7))
    try family.check()
  }

  /// Without the contexts of trimmed transactions the order of stamps would decide, and take the second trip's author
  /// for one that knew the first.
  @Test func `what authors knew is still known when history is trimmed`() throws {
    let family = try ReplicaFamily(count: 3)
    let names = try FixtureNames(family.stores[0].store)
    try family.stores[1].store.save(names.insert("Tag", fixtureID(9), ["name": .string("t")]))
    try family.stores[1].store.save(names.insert("Trip", second, ["name": .string("x")]))
    try family.pull(into: 2, from: 1)
    try family.stores[2].store.trimHistory(through: 2)
    try family.stores[0].store.save(names.insert("Trip", first, ["name": .string("x"), "rating": .int(1)]))
    try family.pull(into: 2, from: 0)
    #expect(try family.stores[2].store.read { try $0.canonical(second) } == first)
    try family.stores[2].store.trimHistory(through: 3)
    try family.check()
    try family.exchangeAll()
    #expect(try family.dump(1) == family.dump(2))
  }

  @Test func `a store is empty of classes when it is erased`() throws {
    let (family, names) = try joined()
    try family.stores[0].store.save(names.update("Trip", first, ["name": .string("y")]))
    try family.stores[0].store.erase()
    let tables = try family.stores[0].store.statistics().tables.filter {
      ["originals", "pastwrites", "heldkeys", "contexts"].contains($0.name)
    }
    #expect(tables.count == 4)
    #expect(tables.allSatisfy { $0.entries == 0 })
    try family.check()
  }

  @Test func `a unique key that goes takes records apart, and joins them again when it is back`() throws {
    let (family, names) = try joined()
    let store = family.stores[0].store
    var loose = StoreSchema.fixture
    loose.version = SchemaVersion(1, 1, 0)
    for index in loose.entities.indices where loose.entities[index].name == "Trip" {
      loose.entities[index].uniquenessConstraints = []
    }
    try store.migrate(to: loose)
    #expect(try store.isVisible("Trip", first) && store.isVisible("Trip", second))
    #expect(try store.read { try $0.canonical(second) } == second)
    try expectSound(store)
    var tight = StoreSchema.fixture
    tight.version = SchemaVersion(1, 2, 0)
    try store.migrate(to: tight)
    #expect(try store.read { try $0.canonical(second) } == first)
    #expect(try store.value("Trip", first, "rating") == .int(2))
    _ = names
    try family.check()
  }
}
