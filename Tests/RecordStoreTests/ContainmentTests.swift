import RecordStore
import TestSupport
import Testing

/// Records that contain each other, moved apart on several replicas.
struct ContainmentTests {
  /// Folders lie in folders or boxes, boxes in folders; a shelf holds nothing that could hold it.
  private static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Folder", attributes: [AttributeDefinition(name: "name", type: .int, isOptional: true)],
      relationships: [
        RelationshipDefinition(name: "parent", destination: "Folder", inverse: "children"),
        RelationshipDefinition(
          name: "children", destination: "Folder", isToMany: true, deleteRule: .cascade, inverse: "parent"),
        RelationshipDefinition(name: "box", destination: "Box", inverse: "folders"),
        RelationshipDefinition(
          name: "boxes", destination: "Box", isToMany: true, deleteRule: .cascade, inverse: "folder"),
      ]),
    EntityDefinition(
      name: "Box", attributes: [AttributeDefinition(name: "name", type: .int, isOptional: true)],
      relationships: [
        RelationshipDefinition(
          name: "folders", destination: "Folder", isToMany: true, deleteRule: .cascade, inverse: "box"),
        RelationshipDefinition(name: "folder", destination: "Folder", isOptional: true, inverse: "boxes"),
      ]),
  ])

  private struct Worker {
    var generator: SeededGenerator

    mutating func change(_ names: FixtureNames) -> RecordChange {
      let number = UInt64.random(in: 1...8, using: &generator)
      let entity = number <= 5 ? "Folder" : "Box"
      let id = fixtureID(number)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: return names.delete(entity, id)
      case 1: return names.insert(entity, id, ["name": .int(Int64(number))])
      case 2: return names.update(entity, id, ["name": .int(Int64.random(in: 0...9, using: &generator))])
      case 3: return names.update(entity, id, [entity == "Folder" ? "parent" : "folder": .null])
      default:
        let folder = FieldValue.reference(fixtureID(UInt64.random(in: 1...5, using: &generator)))
        guard entity == "Folder" else { return names.update(entity, id, ["folder": folder]) }
        if Bool.random(using: &generator) { return names.update(entity, id, ["parent": folder]) }
        return names.update(entity, id, ["box": .reference(fixtureID(UInt64.random(in: 6...8, using: &generator)))])
      }
    }
  }

  @Test(arguments: 0..<6) func `random moves and deletes on three replicas end equal, with no circle`(run: Int) throws {
    var generator = SeededGenerator.announced("containment, run \(run)")
    var worker = Worker(generator: SeededGenerator(seed: generator.next()))
    let family = try ReplicaFamily(count: 3, schema: ContainmentTests.schema)
    let names = try FixtureNames(family.stores[0].store)
    for number in 1...8 as ClosedRange<UInt64> {
      _ = try family.stores[0].store.commit(
        SaveRequest(changes: [names.insert(number <= 5 ? "Folder" : "Box", fixtureID(number), [:])]))
    }
    try family.exchangeAll()
    for _ in 0..<60 {
      let index = Int.random(in: 0..<3, using: &generator)
      family.clocks[index].advance(byMilliseconds: UInt64.random(in: 0...2, using: &generator))
      do {
        _ = try family.stores[index].store.commit(SaveRequest(changes: [worker.change(names)]))
      } catch let error as StoreError where [.recordNotFound, .invalidRequest].contains(error.code) {
        // What chance chose is not there, or would lie in itself.
      }
      if Int.random(in: 0..<5, using: &generator) == 0 {
        let (target, source) = (Int.random(in: 0..<3, using: &generator), Int.random(in: 0..<3, using: &generator))
        if target != source { try family.pull(into: target, from: source) }
        try expectSound(family.stores[target].store)
      }
    }
    try family.exchangeAll()
    let dumps = try (0..<3).map { try family.dump($0) }
    #expect(dumps[0] == dumps[1])
    #expect(dumps[0] == dumps[2])
    for store in family.stores {
      try expectSound(store.store)
      try expectNoCircle(store.store, names)
    }
  }

  /// Follows what readers see from each folder upwards.
  private func expectNoCircle(_ store: RecordStore, _ names: FixtureNames) throws {
    for number in 1...8 as ClosedRange<UInt64> {
      var reached: Set<RecordID> = []
      var pending = [fixtureID(number)]
      while let id = pending.popLast() {
        let above =
          try id.low <= 5
          ? store.related("Folder", id, "parent") + store.related("Folder", id, "box")
          : store.related("Box", id, "folder")
        #expect(!above.contains(fixtureID(number)))
        pending += above.filter { reached.insert($0).inserted }
      }
    }
  }

  @Test func `a save that would put a record below itself is refused whole`() throws {
    try withTemporaryStore(schema: ContainmentTests.schema) { store throws in
      let names = try FixtureNames(store)
      try store.save(
        names.insert("Folder", fixtureID(1)),
        names.insert("Folder", fixtureID(2), ["parent": .reference(fixtureID(1))]),
        names.insert("Box", fixtureID(6), ["folder": .reference(fixtureID(2))]))
      for (entity, id, field, target) in [
        ("Folder", 1, "parent", 1), ("Folder", 1, "parent", 2), ("Folder", 1, "box", 6),
      ] as [(String, UInt64, String, UInt64)] {
        let error = #expect(throws: StoreError.self) {
          try store.save(
            names.update("Folder", fixtureID(2), ["name": .int(7)]),
            names.update(entity, fixtureID(id), [field: .reference(fixtureID(target))]))
        }
        #expect(error?.message == "Folder.\(field) would put a record below itself: choose another one")
      }
      #expect(try store.value("Folder", fixtureID(2), "name") == .null)
      #expect(try store.related("Folder", fixtureID(1), "parent").isEmpty)
    }
  }

  @Test func `two records may change places in one save`() throws {
    try withTemporaryStore(schema: ContainmentTests.schema) { store throws in
      let names = try FixtureNames(store)
      let (one, two) = (fixtureID(1), fixtureID(2))
      try store.save(names.insert("Folder", one), names.insert("Folder", two, ["parent": .reference(one)]))
      try store.save(
        names.update("Folder", one, ["parent": .reference(two)]), names.update("Folder", two, ["parent": .null]))
      #expect(try store.related("Folder", one, "parent") == [two])
      #expect(try store.related("Folder", two, "parent").isEmpty)
    }
  }
}
