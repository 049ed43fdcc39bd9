import RecordStore
import TestSupport
import Testing

/// Records that lie in each other thousands deep, as a list does whose elements lead to the next one. A save or a merge
/// must look at as much as the chain is long, and not at its square: that would take minutes here.
struct DeepChainTests {
  private static let depths: [UInt64] = [100, 2_000]

  /// A folder has many folders in it, or one.
  private static func schema(isToMany: Bool) -> StoreSchema {
    StoreSchema(entities: [
      EntityDefinition(
        name: "Folder", attributes: [AttributeDefinition(name: "name", type: .int, isOptional: true)],
        relationships: [
          RelationshipDefinition(name: "parent", destination: "Folder", inverse: "within"),
          RelationshipDefinition(
            name: "within", destination: "Folder", isToMany: isToMany, deleteRule: .cascade, inverse: "parent"),
        ])
    ])
  }

  /// Replicas that all have a chain: each folder but the first lies in the one before it.
  private func replicas(_ count: Int, of depth: UInt64, isToMany: Bool) throws -> (ReplicaFamily, FixtureNames) {
    let family = try ReplicaFamily(count: count, schema: Self.schema(isToMany: isToMany))
    let names = try FixtureNames(family.stores[0].store)
    let inserts = (1...depth).map { number in
      let parent: FieldValue = number == 1 ? .null : .reference(fixtureID(number - 1))
      return names.insert("Folder", fixtureID(number), ["name": .int(Int64(number)), "parent": parent])
    }
    _ = try family.stores[0].store.commit(SaveRequest(changes: inserts))
    try family.exchangeAll()
    return (family, names)
  }

  private func count(_ store: TemporaryStore) throws -> Int {
    try store.store.read { try $0.count(RecordQuery(entity: 0)) }
  }

  @Test(arguments: [true, false], depths)
  func `a deep chain is saved, merged and deleted, and comes back by an edit at its end`(
    isToMany: Bool, depth: UInt64
  ) throws {
    let (family, names) = try replicas(2, of: depth, isToMany: isToMany)
    #expect(try count(family.stores[1]) == Int(depth))

    _ = try family.stores[0].store.commit(SaveRequest(changes: [names.delete("Folder", fixtureID(1))]))
    #expect(try count(family.stores[0]) == 0)
    family.clocks[1].advance(byMilliseconds: 1)
    _ = try family.stores[1].store.commit(
      SaveRequest(changes: [names.update("Folder", fixtureID(depth), ["name": .int(0)])]))
    try family.exchangeAll()
    // The edit came after the delete, and its folder lies in all the others.
    #expect(try count(family.stores[0]) == Int(depth))
    #expect(try family.dump(0) == family.dump(1))

    family.clocks[1].advance(byMilliseconds: 1)
    _ = try family.stores[1].store.commit(SaveRequest(changes: [names.delete("Folder", fixtureID(2))]))
    try family.exchangeAll()
    // The edit does not reach the first folder any more.
    #expect(try family.stores.map { try count($0) } == [0, 0])
    #expect(try family.dump(0) == family.dump(1))
    for store in family.stores { try store.check() }
  }

  @Test(arguments: [true, false], depths)
  func `the deletes of each record of a deep chain are saved and merged, and one edit voids those above it`(
    isToMany: Bool, depth: UInt64
  ) throws {
    let (family, names) = try replicas(3, of: depth, isToMany: isToMany)

    let deletes = (1...depth).reversed().map { names.delete("Folder", fixtureID($0)) }
    _ = try family.stores[0].store.commit(SaveRequest(changes: deletes))
    #expect(try count(family.stores[0]) == 0)
    family.clocks[1].advance(byMilliseconds: 1)
    _ = try family.stores[1].store.commit(
      SaveRequest(changes: [names.update("Folder", fixtureID(depth / 2), ["name": .int(0)])]))
    try family.exchangeAll()
    for place in family.stores.indices {
      #expect(try count(family.stores[place]) == Int(depth / 2))
      #expect(try family.dump(place) == family.dump(0))
      try family.stores[place].check()
    }
  }
}
