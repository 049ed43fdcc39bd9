import Foundation
import RecordStore
import TestSupport
import Testing

/// Random saves against the store and against plain dictionaries that know the rules and nothing else.
struct OracleTests {
  @Test(arguments: 0..<8)
  func `random saves leave the store and its twin equal`(run: Int) throws {
    var generator = SeededGenerator.announced("OracleTests \(run)")
    var driver = OracleDriver()
    try withTemporaryStore { store in
      for _ in 0..<150 {
        let operations = driver.nextSave(&generator)
        try driver.save(operations, store)
      }
      try driver.expectEqual(store)
    }
  }

  /// What random saves meet once in some hundred seeds, and what the twin once knew no better.
  @Test func `rare saves leave the store and its twin equal`() throws {
    var driver = OracleDriver()
    let (trip, person, name) = (fixtureID(1), fixtureID(2), FieldValue.string("a"))
    func stop(_ number: UInt64, city: FieldValue) -> OracleTwin.Operation {
      .insert("Stop", fixtureID(number), ["trip": .reference(trip), "title": name, "position": .int(1), "city": city])
    }
    try withTemporaryStore { store in
      try driver.save([.insert("Trip", trip, ["name": name]), .insert("Person", person, ["name": name])], store)
      // The second stop is the first one by its unique value, and takes back a reference to a city that never was.
      try driver.save([stop(3, city: .reference(fixtureID(99))), stop(4, city: .null)], store)
      // A reference that would hide the pass, and one in its place that does not.
      let pass = fixtureID(10)
      try driver.save([.insert("Pass", pass, [:])], store)
      let (away, back) = (FieldValue.reference(fixtureID(99)), FieldValue.reference(trip))
      try driver.save([.update("Pass", pass, ["trip": away]), .update("Pass", pass, ["trip": back])], store)
      // More notes than a person may have.
      try driver.save(
        (5...8).map { .insert("Note", fixtureID($0), ["text": name, "~Person.notes": .reference(person)]) }, store)
    }
  }
}

/// The two sides disagree; the run ends there, since everything after it would differ too.
private struct Difference: Error, CustomStringConvertible {
  let description: String
  init(_ what: String, _ log: String) { description = "\(what), after\n\(log)" }
}

/// Draws operations, carries them out on both sides and compares.
private struct OracleDriver {
  private var twin = OracleTwin()
  private var ids: [String: [RecordID]] = [:]
  private var nextID: UInt64 = 1
  private var seenByHistory: Set<RecordID> = []
  private var log: [String] = []

  mutating func save(_ operations: [OracleTwin.Operation], _ store: RecordStore) throws {
    let names = try FixtureNames(store)
    let codes = twin.save(operations)
    log.append("\(operations) -> \(codes)")
    do {
      let result = try store.commit(SaveRequest(changes: operations.map { $0.change(names) }))
      follow(result.changes, names)
      guard codes.isEmpty else { throw Difference("the store accepted what the twin refuses (\(codes))", tail) }
    } catch let error as StoreError {
      guard codes.contains(error.code) else {
        throw Difference("the store refused (\(error)), the twin \(codes)", tail)
      }
    }
    try expectEqual(store)
  }

  private var tail: String { log.suffix(12).joined(separator: "\n") }

  private mutating func follow(_ changes: [HistoryChange], _ names: FixtureNames) {
    for change in changes where !names.catalogue.entities[change.entity].isJoin {
      switch change.kind {
      case .insert: #expect(seenByHistory.insert(change.id).inserted)
      case .update: #expect(seenByHistory.contains(change.id))
      case .delete: #expect(seenByHistory.remove(change.id) != nil)
      }
    }
  }

  func expectEqual(_ store: RecordStore) throws {
    let expected = twin.visible()
    let catalogue = try store.read { $0.catalogue }
    var found: [RecordID: [String: FieldValue]] = [:]
    for entity in catalogue.entities where !entity.isJoin {
      for image in try store.read({ try $0.fetch(RecordQuery(entity: entity.number)) }) {
        found[image.id] = Dictionary(
          uniqueKeysWithValues: entity.fields.map { ($0.name, image.value(of: $0)) })
      }
    }
    guard Set(found.keys) == Set(expected.keys) else {
      throw Difference("visible are \(found.keys.map(\.low).sorted()), not \(expected.keys.map(\.low).sorted())", tail)
    }
    guard seenByHistory == Set(expected.keys) else { throw Difference("history tells of other records", tail) }
    for (id, fields) in expected {
      for (name, value) in fields where found[id]?[name] != value {
        throw Difference("\(twin.entity(of: id)).\(name) of \(id.low) is not \(value)", tail)
      }
    }
    var links: Set<[RecordID]> = []
    for trip in expected.keys where twin.entity(of: trip) == "Trip" {
      for tag in try store.related("Trip", trip, "tags") { links.insert([trip, tag]) }
    }
    guard links == twin.visibleLinks() else { throw Difference("the links differ", tail) }
  }

  mutating func nextSave(_ generator: inout SeededGenerator) -> [OracleTwin.Operation] {
    (0..<Int.random(in: 1...4, using: &generator)).map { _ in nextOperation(&generator) }
  }

  private mutating func nextOperation(_ generator: inout SeededGenerator) -> OracleTwin.Operation {
    let entity = generator.pick(["Trip", "Trip", "Stop", "Stop", "Stop", "City", "Tag", "Pass", "Person", "Note"])
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<4:
      let id = fixtureID(nextID)
      nextID += 1
      ids[entity, default: []].append(id)
      return .insert(entity, id, fields(of: entity, &generator))
    case 4..<6:
      guard let id = known(entity, &generator) else { break }
      let field = generator.pick(fields(of: entity, &generator).sorted { $0.key < $1.key })
      return .update(entity, id, [field.key: field.value])
    case 6..<8:
      guard let id = known(entity, &generator) else { break }
      return .delete(entity, id)
    default:
      guard let trip = known("Trip", &generator), let tag = known("Tag", &generator) else { break }
      return .link(trip: trip, tag: tag, !generator.oneIn(3))
    }
    return nextOperation(&generator)
  }

  private func known(_ entity: String, _ generator: inout SeededGenerator) -> RecordID? {
    ids[entity, default: []].suffix(8).randomElement(using: &generator)
  }

  private func reference(_ entity: String, _ generator: inout SeededGenerator) -> FieldValue {
    guard !generator.oneIn(5), let id = known(entity, &generator) else { return .null }
    return .reference(id)
  }

  private func fields(of entity: String, _ generator: inout SeededGenerator) -> [String: FieldValue] {
    let name = FieldValue.string(generator.pick(["a", "b", "c", "d", "e", "f"]))
    switch entity {
    case "Trip": return ["name": name, "rating": .int(Int64.random(in: 0...2, using: &generator))]
    case "Stop":
      // A trip is required; one that never was stands for a mistake.
      let trip = known("Trip", &generator) ?? fixtureID(1 << 40)
      return [
        "title": name, "position": .int(Int64.random(in: 0...2, using: &generator)), "trip": .reference(trip),
        "city": reference("City", &generator), "next": reference("Stop", &generator),
      ]
    case "Pass": return ["trip": reference("Trip", &generator)]
    case "Note": return ["text": name, "~Person.notes": reference("Person", &generator)]
    default: return ["name": name]
    }
  }
}

extension OracleTwin.Operation {
  fileprivate func change(_ names: FixtureNames) -> RecordChange {
    switch self {
    case .insert(let entity, let id, let fields): names.insert(entity, id, fields)
    case .update(let entity, let id, let fields): names.update(entity, id, fields)
    case .delete(let entity, let id): names.delete(entity, id)
    case .link(let trip, let tag, let isLinked): names.link("Trip", trip, "tags", tag, isLinked)
    }
  }
}
