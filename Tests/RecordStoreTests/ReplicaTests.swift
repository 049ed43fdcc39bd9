import RecordStore
import TestSupport
import Testing

/// Replicas that save apart and exchange transactions, in any order that respects causes.
struct ReplicaTests {
  @Test(arguments: 0..<10)
  func `replicas that have exchanged everything are equal, whatever the order`(run: Int) throws {
    var generator = SeededGenerator.announced("ReplicaTests \(run)")
    let family = try ReplicaFamily(count: 3)
    var draw = ReplicaOperations()
    for _ in 0..<120 {
      let index = Int.random(in: 0..<3, using: &generator)
      family.clocks[index].advance(byMilliseconds: UInt64.random(in: 0...5, using: &generator))
      if generator.oneIn(4) {
        try family.pull(into: index, from: (index + Int.random(in: 1...2, using: &generator)) % 3)
      } else {
        let names = try FixtureNames(family.stores[index].store)
        try save(draw.next(names, &generator), family.stores[index].store)
      }
    }
    try family.exchangeAll()
    let dumps = try (0..<3).map { try family.dump($0) }
    #expect(differences(dumps[0], dumps[1]) == [])
    #expect(differences(dumps[0], dumps[2]) == [])
    try family.check()
  }

  /// Random replicas broke invariant 6 once in some hundred runs: the loser of a one-to-one was looked at again when
  /// a merge changed the winner's reference, but not when a local save did.
  @Test(arguments: [FieldValue.null, .reference(fixtureID(2))])
  func `the loser of a one-to-one has it back when the winner lets go locally`(next: FieldValue) throws {
    let family = try ReplicaFamily(count: 2)
    let names = try FixtureNames(family.stores[0].store)
    let (trip, other, loser, winner) = (fixtureID(1), fixtureID(2), fixtureID(11), fixtureID(12))
    try family.stores[0].store.save(names.insert("Trip", trip, ["name": .string("a")]))
    try family.stores[0].store.save(names.insert("Trip", other, ["name": .string("b")]))
    try family.exchangeAll()
    try family.stores[0].store.save(names.insert("Pass", loser, ["trip": .reference(trip)]))
    family.clocks[1].advance(byMilliseconds: 1_000)
    try family.stores[1].store.save(names.insert("Pass", winner, ["trip": .reference(trip)]))
    try family.exchangeAll()
    #expect(try pass(of: trip, names, family.stores[1].store) == [winner])
    try family.stores[1].store.save(names.update("Pass", winner, ["trip": next]))
    #expect(try pass(of: trip, names, family.stores[1].store) == [loser])
    try family.exchangeAll()
    #expect(try pass(of: trip, names, family.stores[0].store) == [loser])
    try family.check()
  }

  private func pass(of trip: RecordID, _ names: FixtureNames, _ store: RecordStore) throws -> [RecordID] {
    try store.read { try $0.related(trip, of: names.entity("Trip"), relationship: "pass") }
  }

  /// A save may be refused by what this replica knows; then it did not take place.
  private func save(_ request: SaveRequest, _ store: RecordStore) throws {
    do {
      _ = try store.commit(request)
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

/// Random changes over a small pool of records, unique values among them.
private struct ReplicaOperations {
  private var ids: [String: [RecordID]] = [:]
  private var nextID: UInt64 = 1

  mutating func next(_ names: FixtureNames, _ generator: inout SeededGenerator) throws -> SaveRequest {
    guard generator.oneIn(6) else { return SaveRequest(changes: [change(names, &generator)]) }
    // The key decides the unique value, as an effect would; the rest differs between the replicas that run it.
    let number = Int.random(in: 0..<6, using: &generator)
    let entity = ["Trip", "Tag", "City", "Pass", "Trip", "Note"][number]
    var fields = fields(of: entity, &generator)
    if fields["name"] != nil { fields["name"] = .string(["a", "b", "c", "d", "e", "f"][number]) }
    let key = try OnceKey("effect \(number)")
    ids[entity, default: []].append(key.recordID(entity: entity, ordinal: 0))
    return SaveRequest(changes: [names.insert(entity, fixtureID(1 << 50), fields)], once: key)
  }

  private mutating func change(_ names: FixtureNames, _ generator: inout SeededGenerator) -> RecordChange {
    let entity = generator.pick(["Trip", "Trip", "Stop", "Stop", "Stop", "City", "Tag", "Pass", "Note"])
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<4:
      let id = fixtureID(nextID)
      nextID += 1
      ids[entity, default: []].append(id)
      return names.insert(entity, id, fields(of: entity, &generator))
    case 4..<6:
      guard let id = known(entity, &generator) else { break }
      let fields = fields(of: entity, &generator)
      guard let field = fields.sorted(by: { $0.key < $1.key }).randomElement(using: &generator) else { break }
      return names.update(entity, id, [field.key: field.value])
    case 6..<8:
      guard let id = known(entity, &generator) else { break }
      return names.delete(entity, id)
    default:
      guard let trip = known("Trip", &generator), let tag = known("Tag", &generator) else { break }
      return names.link("Trip", trip, "tags", tag, !generator.oneIn(3))
    }
    return change(names, &generator)
  }

  private func known(_ entity: String, _ generator: inout SeededGenerator) -> RecordID? {
    ids[entity, default: []].suffix(6).randomElement(using: &generator)
  }

  private func reference(_ entity: String, _ generator: inout SeededGenerator) -> FieldValue {
    guard !generator.oneIn(5), let id = known(entity, &generator) else { return .null }
    return .reference(id)
  }

  private func fields(of entity: String, _ generator: inout SeededGenerator) -> [String: FieldValue] {
    let name = FieldValue.string(generator.pick(["a", "b", "c", "d", "e", "f"]))
    let number = FieldValue.int(Int64.random(in: 0...2, using: &generator))
    switch entity {
    case "Trip": return ["name": name, "rating": number]
    case "Stop":
      return [
        "title": name, "position": number, "trip": .reference(known("Trip", &generator) ?? fixtureID(1 << 40)),
        "city": reference("City", &generator), "next": reference("Stop", &generator),
      ]
    case "Pass": return ["trip": reference("Trip", &generator)]
    case "Note": return ["text": name, "x": .double(1)]
    default: return ["name": name]
    }
  }
}
