import Foundation
import RecordStore
import TestSupport

extension EntityDefinition {
  /// A field of every kind, of which one is unique.
  static var article: EntityDefinition {
    EntityDefinition(
      name: "Article",
      attributes: [
        AttributeDefinition(name: "code", type: .uuid, isOptional: true),
        AttributeDefinition(name: "title", type: .string),
        AttributeDefinition(name: "body", type: .string, isOptional: true),
        AttributeDefinition(name: "number", type: .int, defaultValue: .int(7)),
        AttributeDefinition(name: "size", type: .uint, defaultValue: .uint(1)),
        AttributeDefinition(name: "amount", type: .double, defaultValue: .double(0.5)),
        AttributeDefinition(name: "price", type: .decimal, defaultValue: .decimal(0)),
        AttributeDefinition(name: "day", type: .date, isOptional: true),
        AttributeDefinition(name: "isOn", type: .bool, defaultValue: .bool(true)),
        AttributeDefinition(name: "blob", type: .data, isOptional: true),
        AttributeDefinition(name: "site", type: .url, isOptional: true),
      ],
      relationships: [RelationshipDefinition(name: "city", destination: "City")],
      uniquenessConstraints: [["code"]],
      indexes: [IndexDefinition("title", "number"), IndexDefinition("day"), IndexDefinition("price", "amount")])
  }
}

/// Changes of which most are plain; in odd work whatever is not turns up now and then.
struct RandomWork {
  let isOdd: Bool
  let names: FixtureNames
  var generator: SeededGenerator
  private var ids: [String: [RecordID]] = [:]
  /// Of the newest ids, those that are seen where the next changes are made.
  private var visible: [String: [RecordID]] = [:]
  private var next: UInt64 = 1

  init(isOdd: Bool, names: FixtureNames, generator: SeededGenerator) {
    self.isOdd = isOdd
    self.names = names
    self.generator = generator
  }

  mutating func changes(on store: RecordStore) throws -> [RecordChange] {
    let count = generator.oneIn(8) ? 30 : Int.random(in: 1...4, using: &generator)
    visible = try ids.mapValues { $0.suffix(40) }.reduce(into: [:]) { visible, entry in
      visible[entry.key] = try entry.value.filter { try store.isVisible(entry.key, $0) }
    }
    return (0..<count).map { _ in
      if isOdd, generator.oneIn(12), let change = special() { return change }
      return generator.oneIn(4) ? insert() : update() ?? insert()
    }
  }

  private mutating func insert() -> RecordChange {
    next += 1
    var entity = generator.pick(["Article", "Article", "Article", "City", "Note", "Stop", "Trip"])
    // A stop cannot be without its trip.
    if visible["Trip", default: []].isEmpty, entity == "Stop" { entity = "Trip" }
    let id = fixtureID(next)
    let values = values(entity, isNew: true)
    ids[entity, default: []].append(id)
    return names.insert(entity, id, values)
  }

  private mutating func update() -> RecordChange? {
    let entity = generator.pick(["Article", "Article", "Note", "Trip"])
    guard let id = known(entity) else { return nil }
    let chosen = values(entity, isNew: false).sorted { $0.key < $1.key }.shuffled(using: &generator).prefix(3)
    return names.update(entity, id, Dictionary(uniqueKeysWithValues: chosen.map { ($0.key, $0.value) }))
  }

  private mutating func special() -> RecordChange? {
    let entity = generator.pick(["Article", "Note", "Trip", "Stop", "City"])
    guard let id = known(entity) else { return nil }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return names.delete(entity, id)
    case 1:
      next += 1
      return names.insert("City", fixtureID(next), ["name": .string("city \(next % 5)")])
    case 2: return known("Trip").map { names.update("Trip", $0, ["name": .string("trip \(next % 7)")]) }
    default:
      next += 1
      return names.insert("Pass", fixtureID(next), ["trip": reference("Trip")])
    }
  }

  private mutating func known(_ entity: String) -> RecordID? {
    visible[entity, default: []].randomElement(using: &generator)
  }

  private mutating func reference(_ entity: String) -> FieldValue {
    guard !generator.oneIn(4), let id = known(entity) else { return .null }
    return .reference(id)
  }

  private mutating func values(_ entity: String, isNew: Bool) -> [String: FieldValue] {
    var values: [String: FieldValue]
    switch entity {
    case "City": return ["name": .string("\(entity) \(next)")]
    case "Trip":
      values = ["rating": .int(Int64.random(in: 0...5, using: &generator)), "isFavorite": .bool(generator.oneIn(2))]
      if isNew { values["name"] = .string("\(entity) \(next)") }
    case "Stop":
      return [
        "title": .string("stop"), "position": .int(Int64(next)), "city": reference("City"),
        "trip": known("Trip").map { .reference($0) } ?? .null,
      ]
    case "Note":
      values = ["text": .string(generator.pick(["a", "b", "\u{e9}", "e\u{301}", ""]))]
      values["x"] = .double(generator.pick([0, -0.0, .nan, 1]))
      values["y"] = .double(generator.pick([0, 1]))
    default: return article(isNew: isNew)
    }
    return values
  }

  private mutating func article(isNew: Bool) -> [String: FieldValue] {
    var values: [String: FieldValue] = [
      "title": .string(generator.pick(["", "plain", "\u{e9}", "e\u{301}", String(repeating: "x", count: 600)])),
      "amount": .double(generator.pick([0, -0.0, .nan, .infinity, 1.5, -3])),
      "body": generator.oneIn(3) ? .null : .string("body \(next)"),
      "number": .int(Int64.random(in: -3...3, using: &generator)), "size": .uint(.max),
      "price": .decimal(generator.pick([0, 1.5, -20, Decimal.nan, 12_345_678])),
      "day": generator.oneIn(4) ? .null : .date(Date(timeIntervalSinceReferenceDate: generator.pick([0, -0.0, 5]))),
      "isOn": .bool(generator.oneIn(2)), "site": .url("https://example.com/\(next % 3)"),
      "blob": .data(Data(repeating: 1, count: Int.random(in: 0..<4, using: &generator))),
    ]
    guard isNew else { return values }
    let number = (UInt8(next >> 8 & 0xFF), UInt8(next & 0xFF))
    let code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, number.0, number.1))
    values["code"] = generator.oneIn(9) ? .null : .uuid(code)
    values["city"] = reference("City")
    for name in values.keys.sorted() where name != "title" && generator.oneIn(4) { values[name] = nil }
    return values
  }
}
