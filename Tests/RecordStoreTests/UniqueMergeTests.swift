import RecordStore
import TestSupport
import Testing

/// Records that a new unique constraint finds with one value.
struct UniqueMergeTests {
  private func schema(isUnique: Bool, version: Int = 1) -> StoreSchema {
    StoreSchema(
      version: SchemaVersion(version, 0, 0),
      entities: [
        EntityDefinition(
          name: "Person",
          attributes: [
            AttributeDefinition(name: "email", type: .string, isOptional: true),
            AttributeDefinition(name: "name", type: .string, isOptional: true),
          ],
          relationships: [
            RelationshipDefinition(
              name: "orders", destination: "Order", isToMany: true, deleteRule: .cascade, inverse: "buyer"),
            RelationshipDefinition(name: "clubs", destination: "Club", isToMany: true, inverse: "members"),
            RelationshipDefinition(name: "home", destination: "Home", deleteRule: .cascade),
            RelationshipDefinition(name: "boss", destination: "Person"),
          ],
          uniquenessConstraints: isUnique ? [["email"]] : []),
        EntityDefinition(
          name: "Order", attributes: [AttributeDefinition(name: "number", type: .int)],
          relationships: [
            RelationshipDefinition(name: "buyer", destination: "Person", isOptional: false, inverse: "orders")
          ],
          uniquenessConstraints: isUnique ? [["buyer", "number"]] : []),
        EntityDefinition(
          name: "Club",
          relationships: [
            RelationshipDefinition(name: "members", destination: "Person", isToMany: true, inverse: "clubs")
          ]),
        EntityDefinition(name: "Home"),
      ])
  }

  /// Two persons with one address, and what belongs to them.
  private func fill(_ store: RecordStore) throws {
    let names = try FixtureNames(store)
    try store.save(
      names.insert("Home", fixtureID(30)), names.insert("Club", fixtureID(20)), names.insert("Club", fixtureID(21)))
    try store.save(
      names.insert("Person", fixtureID(1), ["email": .string("a"), "name": .string("old")]),
      names.insert("Order", fixtureID(10), ["number": .int(1), "buyer": .reference(fixtureID(1))]),
      names.link("Person", fixtureID(1), "clubs", fixtureID(20)))
    try store.save(
      names.insert(
        "Person", fixtureID(2),
        ["email": .string("a"), "name": .string("new"), "home": .reference(fixtureID(30))]),
      names.insert("Person", fixtureID(3), ["email": .string("b"), "boss": .reference(fixtureID(2))]),
      names.insert("Person", fixtureID(4)), names.insert("Person", fixtureID(5)),
      names.insert("Order", fixtureID(11), ["number": .int(1), "buyer": .reference(fixtureID(2))]),
      names.insert("Order", fixtureID(12), ["number": .int(2), "buyer": .reference(fixtureID(2))]),
      names.link("Person", fixtureID(2), "clubs", fixtureID(20)),
      names.link("Person", fixtureID(2), "clubs", fixtureID(21)))
  }

  private func visible(_ store: RecordStore, _ entity: String, _ ids: ClosedRange<UInt64>) throws -> [UInt64] {
    try ids.filter { try store.isVisible(entity, fixtureID($0)) }
  }

  private func expectMerged(_ store: RecordStore) throws {
    #expect(try visible(store, "Person", 1...5) == [1, 3, 4, 5])
    #expect(try store.value("Person", fixtureID(1), "name") == .string("new"))
    #expect(try store.value("Person", fixtureID(1), "home") == .reference(fixtureID(30)))
    #expect(try store.isVisible("Home", fixtureID(30)))
    #expect(try store.value("Person", fixtureID(3), "boss") == .reference(fixtureID(1)))
    // The merged persons' orders with one number became one as well.
    #expect(try visible(store, "Order", 10...12) == [10, 12])
    let names = try FixtureNames(store)
    let clubs = try store.read { try $0.related(fixtureID(1), of: names.entity("Person"), relationship: "clubs") }
    #expect(clubs == [fixtureID(20), fixtureID(21)])
  }

  @Test func `the first record takes the newest values and all that referred to the others`() throws {
    try withTemporaryStore(schema: schema(isUnique: false)) { store throws in
      try fill(store)
      try store.migrate(to: schema(isUnique: true))
      try expectMerged(store)
      let merged = store.migrations.flatMap(\.steps).filter {
        if case .mergedRecords = $0 { true } else { false }
      }
      #expect(
        merged == [
          .mergedRecords(entity: "Person", kept: fixtureID(1), merged: [fixtureID(2)]),
          .mergedRecords(entity: "Order", kept: fixtureID(10), merged: [fixtureID(11)]),
        ])
    }
  }

  @Test func `a preview reports the merge and changes nothing`() throws {
    try withTemporaryStore(schema: schema(isUnique: false)) { store throws in
      try fill(store)
      let number = try store.read { try $0.lastTransactionNumber }
      let report = try store.migrationPreview(to: schema(isUnique: true))
      #expect(report.isDryRun && report.backup == nil)
      #expect(report.steps.contains(.addedUniqueness("Person(email)")))
      #expect(report.steps.contains(.mergedRecords(entity: "Person", kept: fixtureID(1), merged: [fixtureID(2)])))
      #expect(try store.read { try $0.lastTransactionNumber } == number)
      #expect(try visible(store, "Person", 1...5) == [1, 2, 3, 4, 5])
      #expect(store.migrations.isEmpty)
      #expect(try RecordStore.backups(of: store.url).isEmpty)
    }
  }

  @Test func `devices that migrate apart end equal, with every object`() throws {
    let family = try ReplicaFamily(count: 2, schema: schema(isUnique: false))
    try fill(family.stores[0].store)
    try family.exchangeAll()
    for store in family.stores { try store.store.migrate(to: schema(isUnique: true)) }
    try family.exchangeAll()
    #expect(try family.dump(0) == family.dump(1))
    for store in family.stores { try expectMerged(store.store) }
    try family.check()
  }

  // Records of one save that share what becomes unique are one by the rules of merging, and the delete of one of them
  // deleted the other: tests deleted records only by the merge itself.
  @Test(arguments: [(1, 2), (2, 1)])
  func `a record stays whose equal was deleted before`(kept: UInt64, deleted: UInt64) throws {
    try withTemporaryStore(schema: schema(isUnique: false)) { store throws in
      let names = try FixtureNames(store)
      try store.save(
        names.insert("Person", fixtureID(1), ["email": .string("a"), "name": .string("first")]),
        names.insert("Person", fixtureID(2), ["email": .string("a"), "name": .string("second")]),
        names.insert("Order", fixtureID(10), ["number": .int(1), "buyer": .reference(fixtureID(kept))]),
        names.insert("Order", fixtureID(11), ["number": .int(1), "buyer": .reference(fixtureID(deleted))]),
        names.insert("Order", fixtureID(12), ["number": .int(2), "buyer": .reference(fixtureID(deleted))]),
        names.insert("Person", fixtureID(3), ["boss": .reference(fixtureID(deleted))]),
        names.insert("Club", fixtureID(20)), names.link("Person", fixtureID(deleted), "clubs", fixtureID(20)))
      try store.save(names.update("Person", fixtureID(deleted), ["name": .string("deleted")]))
      try store.save(names.delete("Person", fixtureID(deleted)))
      try store.migrate(to: schema(isUnique: true))
      #expect(try visible(store, "Order", 10...12) == [10])
      let count = try store.read { try $0.count(RecordQuery(entity: names.entity("Person"))) }
      #expect(count == 2)
      #expect(try store.value("Person", fixtureID(3), "boss") == .null)
      let clubs = try store.read { try $0.related(fixtureID(kept), of: names.entity("Person"), relationship: "clubs") }
      #expect(clubs == [])
      let name = try store.value("Person", fixtureID(kept), "name")
      #expect(name == .string(kept == 1 ? "first" : "second"))
    }
  }

  @Test func `a record stays on all devices whose equal was deleted before`() throws {
    let family = try ReplicaFamily(count: 2, schema: schema(isUnique: false))
    for (number, store) in family.stores.enumerated() {
      let names = try FixtureNames(store.store)
      try store.store.save(
        names.insert(
          "Person", fixtureID(UInt64(number + 1)), ["email": .string("a"), "name": .string("of \(number)")]))
    }
    try family.exchangeAll()
    let names = try FixtureNames(family.stores[0].store)
    for clock in family.clocks { clock.advance(byMilliseconds: 1000) }
    try family.stores[0].store.save(names.delete("Person", fixtureID(2)))
    try family.exchangeAll()
    for store in family.stores { try store.store.migrate(to: schema(isUnique: true)) }
    try family.exchangeAll()
    #expect(try family.dump(0) == family.dump(1))
    for store in family.stores {
      #expect(try store.store.value("Person", fixtureID(1), "name") == .string("of 0"))
      let count = try store.store.read { try $0.count(RecordQuery(entity: names.entity("Person"))) }
      #expect(count == 1)
    }
    try family.check()
  }

  @Test func `an edit of a device that has not migrated yet reaches the record that stayed`() throws {
    let family = try ReplicaFamily(count: 2, schema: schema(isUnique: false))
    try fill(family.stores[0].store)
    try family.exchangeAll()
    try family.stores[0].store.migrate(to: schema(isUnique: true))
    let names = try FixtureNames(family.stores[1].store)
    for clock in family.clocks { clock.advance(byMilliseconds: 1000) }
    try family.stores[1].store.save(names.update("Person", fixtureID(1), ["name": .string("edited")]))
    try family.exchangeAll()
    try family.stores[1].store.migrate(to: schema(isUnique: true))
    try family.exchangeAll()
    #expect(try family.dump(0) == family.dump(1))
    for store in family.stores {
      #expect(try store.store.value("Person", fixtureID(1), "name") == .string("edited"))
      #expect(try visible(store.store, "Person", 1...5) == [1, 3, 4, 5])
    }
    try family.check()
  }

  @Test func `where a save would throw, the migration does`() throws {
    try withTemporaryStore(schema: schema(isUnique: false), uniqueness: .throw) { store throws in
      try fill(store)
      let error = #expect(throws: StoreError.self) { try store.migrate(to: schema(isUnique: true)) }
      #expect(error?.code == .incompatibleSchema)
      #expect(try visible(store, "Person", 1...5) == [1, 2, 3, 4, 5])
    }
  }

  @Test func `a new property cannot be unique while all records have its default`() throws {
    func note(_ attributes: [AttributeDefinition], _ unique: [[String]]) -> StoreSchema {
      StoreSchema(entities: [EntityDefinition(name: "Note", attributes: attributes, uniquenessConstraints: unique)])
    }
    let text = AttributeDefinition(name: "text", type: .string, isOptional: true)
    let code = AttributeDefinition(name: "code", type: .string, defaultValue: .string("-"))
    try withTemporaryStore(schema: note([text], [])) { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Note", fixtureID(1)))
      try store.migrate(to: note([text, code], [["code"]]))
      try store.migrate(to: note([text], []))
      try store.save(names.insert("Note", fixtureID(2)))
    }
    try withTemporaryStore(schema: note([text], [])) { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Note", fixtureID(1)), names.insert("Note", fixtureID(2)))
      let error = #expect(throws: StoreError.self) { try store.migrate(to: note([text, code], [["code"]])) }
      #expect(error?.code == .incompatibleSchema)
      #expect(error?.message.contains("Note.code") == true)
      #expect(try store.isVisible("Note", fixtureID(2)))
    }
  }
}
