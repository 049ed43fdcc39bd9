import RecordStore
import TestSupport
import Testing

/// Unique values that change, are freed, swapped and taken again on several replicas: whatever the order in which
/// transactions arrive, however they are batched, all that a store knows and shows is the same.
///
/// The integrity check of each store works the alias classes out anew.
struct UniqueHistoryTests {
  @Test(arguments: 0..<12) func `every order of arrival gives one state`(run: Int) throws {
    var generator = SeededGenerator.announced("UniqueHistoryTests \(run)")
    try playHistory(&generator)
  }

  /// A record that refers to itself, and one that refers to it, hold one value: each would have hidden what showed it.
  @Test(arguments: [12_236_143_916_874_691_019] as [UInt64])
  func `a history that once had no outcome has one`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    try playHistory(&generator)
  }

  private func playHistory(_ generator: inout SeededGenerator) throws {
    let family = try ReplicaFamily(count: 4, schema: .uniqueKeys)
    var draw = UniqueChanges()
    for _ in 0..<Int.random(in: 10...70, using: &generator) {
      let index = Int.random(in: 0..<3, using: &generator)
      family.clocks[index].advance(byMilliseconds: UInt64.random(in: 0...4, using: &generator))
      if generator.oneIn(4) {
        try family.pull(into: index, from: (index + Int.random(in: 1...2, using: &generator)) % 3)
      } else {
        try save(draw.next(try FixtureNames(family.stores[index].store), &generator), family.stores[index].store)
      }
    }
    let streams = try (0..<3).map { try family.outgoing(of: $0, after: 0) }
    let expected = try arrival(of: streams, batches: 1, &generator)
    for _ in 0..<3 {
      let batches = Int.random(in: 1...6, using: &generator)
      let found = try arrival(of: streams, batches: batches, &generator)
      #expect(differences(expected, found) == [])
    }
    try family.exchangeAll()
    for index in 0..<4 { #expect(differences(expected, try family.dump(index)) == []) }
    try family.check()
  }

  /// Nobody sees a value with a reference to a record that is not there, so no index told of the other one. Devices
  /// that merged such a save made one record of the two, and this one had two.
  @Test func `a save does not give two records one value, not even one that nobody sees`() throws {
    let family = try ReplicaFamily(count: 2, schema: .uniqueKeys)
    let (store, names) = (family.stores[0].store, try FixtureNames(family.stores[0].store))
    let (first, second, unknown) = (fixtureID(1), fixtureID(2), fixtureID(9))
    let value: [String: FieldValue] = ["name": .int(0), "parent": .reference(unknown)]
    try store.save(names.insert("Folder", first, ["name": .int(1)]))
    let before = try family.dump(0)
    let both = [names.insert("Folder", second, value), names.update("Folder", first, value)]
    #expect(storeErrorCode { _ = try store.commit(SaveRequest(changes: both)) } == .uniquenessViolation)
    #expect(try family.dump(0) == before)
    // An insert is an update of the record that has the value; and what one save gave another one takes as its own.
    let result = try store.save(names.update("Folder", first, value), names.insert("Folder", second, value))
    #expect(result.remapped == [second: first])
    try store.save(names.insert("Folder", second, ["name": .int(2)]))
    try store.save(names.update("Folder", second, value))
    try family.exchangeAll()
    #expect(differences(try family.dump(0), try family.dump(1)) == [])
    try family.check()
  }

  /// Readers would see the later one's value while the earlier one is visible, and the earlier one while nobody shows
  /// the value: the merge found no end and was refused, and with it all that followed from that replica.
  @Test func `a record that is its own parent gives way to a later one under it with its unique name`() throws {
    let family = try ReplicaFamily(count: 3, schema: .uniqueKeys)
    let names = try FixtureNames(family.stores[0].store)
    let (old, new) = (fixtureID(11), fixtureID(981))
    for clock in family.clocks { clock.advance() }
    let fields: [String: FieldValue] = ["parent": .reference(old), "name": .int(2)]
    try family.stores[0].store.save(names.insert("Folder", old, fields))
    try family.stores[0].store.save(names.delete("Folder", old))
    try family.pull(into: 1, from: 0)
    try family.stores[1].store.save(names.insert("Folder", new, fields))
    let (first, second) = (try family.outgoing(of: 0, after: 0), try family.outgoing(of: 1, after: 0))
    for facts in [[first[0]], second, [first[1]]] {
      try family.merge(facts, into: 2)
      #expect(try !family.stores[2].store.isVisible("Folder", old) || facts == [first[0]])
      try family.check()
    }
    #expect(try family.stores[2].store.isVisible("Folder", new))
    #expect(differences(try family.dump(1), try family.dump(2)) == [])
  }

  /// The later one's value shows while its star is there, the star while the earlier one is, and that is hidden for the
  /// later one's sake.
  @Test func `a merge ends where a record would be hidden for one that is seen only while it is visible`() throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Fan",
        relationships: [
          RelationshipDefinition(name: "favourite", destination: "Star", inverse: "fans"),
          RelationshipDefinition(
            name: "stars", destination: "Star", isToMany: true, deleteRule: .cascade, inverse: "owner"),
        ], uniquenessConstraints: [["favourite"]]),
      EntityDefinition(
        name: "Star",
        relationships: [
          RelationshipDefinition(name: "owner", destination: "Fan", isOptional: false, inverse: "stars"),
          RelationshipDefinition(name: "fans", destination: "Fan", isToMany: true, inverse: "favourite"),
        ]),
    ])
    let family = try ReplicaFamily(count: 3, schema: schema)
    let names = try FixtureNames(family.stores[0].store)
    let (old, star, new) = (fixtureID(1), fixtureID(2), fixtureID(3))
    for clock in family.clocks { clock.advance() }
    let author = family.stores[0].store
    try author.save(
      names.insert("Fan", old, ["favourite": .reference(star)]), names.insert("Star", star, ["owner": .reference(old)]))
    try author.save(names.delete("Fan", old))
    try family.pull(into: 1, from: 0)
    try family.stores[1].store.save(names.insert("Fan", new, ["favourite": .reference(star)]))
    let (first, second) = (try family.outgoing(of: 0, after: 0), try family.outgoing(of: 1, after: 0))
    for facts in [[first[0]], second, [first[1]]] { try family.merge(facts, into: 2) }
    #expect(try family.stores[2].store.isVisible("Fan", new))
    #expect(differences(try family.dump(1), try family.dump(2)) == [])
    try family.check()
  }

  /// Devices that merged such a save made one record of the two, and this one had two.
  @Test(arguments: [false, true], [false, true])
  func `a value is free that the save gave to a record below a deleted one`(isNew: Bool, plainly: Bool) throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Drawer",
        relationships: [
          RelationshipDefinition(
            name: "cards", destination: "Card", isToMany: true, deleteRule: .cascade, inverse: "drawer")
        ]),
      EntityDefinition(
        name: "Card", attributes: [AttributeDefinition(name: "title", type: .string)],
        relationships: [RelationshipDefinition(name: "drawer", destination: "Drawer", inverse: "cards")],
        uniquenessConstraints: [["title"]]),
    ])
    let family = try ReplicaFamily(count: 2, schema: schema) { $1.savesPlainly = plainly }
    let (store, names) = (family.stores[0].store, try FixtureNames(family.stores[0].store))
    let (drawer, old, new) = (fixtureID(1), fixtureID(5), fixtureID(6))
    let below: [String: FieldValue] = ["title": .string("a"), "drawer": .reference(drawer)]
    try store.save(names.insert("Drawer", drawer))
    if !isNew { try store.save(names.insert("Card", old, below)) }
    var changes = [names.update("Card", old, ["title": .string("z")])]
    if isNew { changes.insert(names.insert("Card", old, below), at: 0) }
    changes += [names.delete("Drawer", drawer), names.insert("Card", new, ["title": .string("z")])]
    _ = try store.commit(SaveRequest(changes: changes))
    try family.exchangeAll()
    for device in family.stores {
      #expect(try device.store.isVisible("Card", new) && !device.store.isVisible("Card", old))
    }
    #expect(differences(try family.dump(0), try family.dump(1)) == [])
    try family.check()
  }

  /// What a new store knows after all streams arrived in some order, in batches of up to so many transactions.
  private func arrival(
    of streams: [[TransactionFacts]], batches: Int, _ generator: inout SeededGenerator
  ) throws -> String {
    let observer = try ReplicaFamily(count: 1, schema: .uniqueKeys)
    var rest = streams
    while rest.contains(where: { !$0.isEmpty }) {
      let stream = Int.random(in: 0..<rest.count, using: &generator)
      let count = min(rest[stream].count, Int.random(in: 1...batches, using: &generator))
      guard count > 0 else { continue }
      try observer.merge(Array(rest[stream].prefix(count)), into: 0)
      rest[stream].removeFirst(count)
    }
    try observer.check()
    return try observer.dump(0)
  }

  /// A save may be refused by what this replica knows; then it did not take place.
  private func save(_ changes: [RecordChange], _ store: RecordStore) throws {
    do {
      _ = try store.commit(SaveRequest(changes: changes))
    } catch let error as StoreError
      where [.recordNotFound, .deleteDenied, .invalidRequest, .uniquenessViolation].contains(error.code)
    {
      return
    }
  }

  private func differences(_ left: String, _ right: String) -> [String] {
    let (left, right) = (left.split(separator: "\n"), right.split(separator: "\n"))
    return left.filter { !right.contains($0) }.map { "- \($0)" } + right.filter { !left.contains($0) }.map { "+ \($0)" }
  }
}

/// Random changes of few records with few values, so that they meet all the time.
private struct UniqueChanges {
  private var ids: [String: [RecordID]] = [:]
  private var nextID: UInt64 = 1
  private let unique = [
    "Page": ["slug", "number"], "Shelf": ["key"], "Book": ["shelf", "place"], "Leaf": ["book", "place"],
    "Folder": ["parent", "name"],
  ]

  mutating func next(_ names: FixtureNames, _ generator: inout SeededGenerator) -> [RecordChange] {
    (0..<(generator.oneIn(3) ? 2 : 1)).map { _ in change(names, &generator) }
  }

  private mutating func change(_ names: FixtureNames, _ generator: inout SeededGenerator) -> RecordChange {
    let entity = generator.pick(["Page", "Page", "Page", "Shelf", "Shelf", "Book", "Book", "Leaf", "Folder", "Folder"])
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<5:
      // Now and then an id that is known already.
      let id = generator.oneIn(12) ? known(entity, &generator) : nil
      if id == nil { nextID += 1 }
      // Ids do not rise with time everywhere.
      let made = id ?? fixtureID(generator.oneIn(2) ? nextID : 1000 - nextID)
      ids[entity, default: []].append(made)
      return names.insert(entity, made, fields(of: entity, &generator))
    case 5..<10:
      guard let id = known(entity, &generator) else { break }
      var fields = fields(of: entity, &generator).sorted { $0.key < $1.key }
      if !generator.oneIn(3) { fields = [generator.pick(fields)] }
      return names.update(entity, id, Dictionary(uniqueKeysWithValues: fields))
    default:
      guard let id = known(entity, &generator) else { break }
      return names.delete(entity, id)
    }
    return change(names, &generator)
  }

  private func known(_ entity: String, _ generator: inout SeededGenerator) -> RecordID? {
    ids[entity, default: []].suffix(6).randomElement(using: &generator)
  }

  private func reference(_ entity: String, _ generator: inout SeededGenerator) -> FieldValue {
    guard !generator.oneIn(6), let id = known(entity, &generator) else { return .null }
    return .reference(id)
  }

  private func fields(of entity: String, _ generator: inout SeededGenerator) -> [String: FieldValue] {
    let number = FieldValue.int(Int64.random(in: 0...2, using: &generator))
    let note = FieldValue.string(generator.pick(["p", "q", "r", "s"]))
    switch entity {
    case "Page":
      return [
        "slug": .string(generator.pick(["x", "y", "z"])), "number": generator.oneIn(3) ? .null : number, "note": note,
      ]
    case "Shelf": return ["key": .string(generator.pick(["x", "y"])), "note": note]
    case "Book": return ["shelf": reference("Shelf", &generator), "place": number, "note": note]
    case "Leaf": return ["book": reference("Book", &generator), "place": number]
    default: return ["parent": reference("Folder", &generator), "name": number]
    }
  }
}

extension StoreSchema {
  /// Single and compound unique keys, of attributes and of references, two levels deep and to itself.
  static let uniqueKeys = StoreSchema(entities: [
    EntityDefinition(
      name: "Page",
      attributes: [
        AttributeDefinition(name: "slug", type: .string),
        AttributeDefinition(name: "number", type: .int, isOptional: true),
        AttributeDefinition(name: "note", type: .string),
      ], uniquenessConstraints: [["slug"], ["number"]]),
    EntityDefinition(
      name: "Shelf",
      attributes: [AttributeDefinition(name: "key", type: .string), AttributeDefinition(name: "note", type: .string)],
      relationships: [
        RelationshipDefinition(
          name: "books", destination: "Book", isToMany: true, deleteRule: .cascade, inverse: "shelf")
      ], uniquenessConstraints: [["key"]]),
    EntityDefinition(
      name: "Book",
      attributes: [AttributeDefinition(name: "place", type: .int), AttributeDefinition(name: "note", type: .string)],
      relationships: [
        RelationshipDefinition(name: "shelf", destination: "Shelf", inverse: "books"),
        RelationshipDefinition(name: "leaves", destination: "Leaf", isToMany: true, inverse: "book"),
      ], uniquenessConstraints: [["shelf", "place"]]),
    EntityDefinition(
      name: "Leaf", attributes: [AttributeDefinition(name: "place", type: .int)],
      relationships: [RelationshipDefinition(name: "book", destination: "Book", inverse: "leaves")],
      uniquenessConstraints: [["book", "place"]]),
    EntityDefinition(
      name: "Folder", attributes: [AttributeDefinition(name: "name", type: .int)],
      relationships: [
        RelationshipDefinition(name: "parent", destination: "Folder", inverse: "folders"),
        RelationshipDefinition(name: "folders", destination: "Folder", isToMany: true, inverse: "parent"),
      ], uniquenessConstraints: [["parent", "name"]]),
  ])
}
