import ScenarioRunner

extension HistoryGenerator {
  mutating func save(on replica: String) {
    var edits: [HistoryStep.RecordEdit] = []
    for _ in 0..<random.pick([1, 1, 1, 2, 3]) { edits += edit(on: replica) }
    guard !edits.isEmpty else { return }
    // Equal times on two replicas are common, so that ties are decided by the replica.
    if !random.chance(40) { time += UInt64(random.number(in: 1..<4)) }
    let at = stuckClocks.contains(replica) ? 1 : time
    steps.append(.save(on: replica, at: at, changes: edits))
    hasUnpublished.insert(replica)
    if random.chance(4) { stuckClocks.formSymmetricDifference([replica]) }
  }

  private mutating func edit(on replica: String) -> [HistoryStep.RecordEdit] {
    let entity = random.pick(schema(of: replica).entities)
    switch random.number(in: 0..<100) {
    case ..<38: return insert(entity, on: replica)
    case ..<70: return update(entity, on: replica)
    case ..<88:
      guard let name = someRecord(of: entity.name, for: replica) else { return insert(entity, on: replica) }
      // A deleted record comes back under its own id, now and then.
      if random.chance(8) {
        return [.insert(entity: entity.name, name: name, values: values(entity, on: replica))]
      }
      return [.delete(name: name)]
    default: return link(entity, on: replica)
    }
  }

  private mutating func insert(
    _ entity: SimulatedSchema.Entity, on replica: String
  ) -> [HistoryStep.RecordEdit] {
    var edits: [HistoryStep.RecordEdit] = []
    for reference in entity.references where reference.isRequired {
      guard someRecord(of: reference.target, for: replica) == nil else { continue }
      edits += insert(schema(of: replica).entity(reference.target), on: replica)
    }
    let values = values(entity, on: replica)
    guard entity.references.allSatisfy({ !$0.isRequired || values[$0.name] != nil }) else { return edits }
    let name = newRecord(of: entity.name, on: replica)
    return edits + [.insert(entity: entity.name, name: name, values: values)]
  }

  private mutating func update(
    _ entity: SimulatedSchema.Entity, on replica: String
  ) -> [HistoryStep.RecordEdit] {
    guard let name = someRecord(of: entity.name, for: replica) else { return insert(entity, on: replica) }
    // Unique values change now and then.
    let kept = random.chance(65) ? Set(entity.unique.joined()) : []
    var all = values(entity, on: replica).filter { !kept.contains($0.key) }
    for reference in entity.references where !reference.isRequired && !kept.contains(reference.name) {
      if random.chance(15) { all[reference.name] = .null }
    }
    let chosen = all.keys.sorted().filter { _ in random.chance(50) }
    let names = chosen.isEmpty ? Array(all.keys.sorted().prefix(1)) : chosen
    guard !names.isEmpty else { return [] }
    return [.update(name: name, values: all.filter { names.contains($0.key) })]
  }

  /// An update of a record at a time around that of the next save.
  mutating func edit(_ name: String, of entity: SimulatedSchema.Entity, on replica: String) {
    let unique = Set(entity.unique.joined())
    guard let attribute = entity.attributes.first(where: { !unique.contains($0.name) }) else { return }
    time += UInt64(random.number(in: 0..<3))
    let values = [attribute.name: value(attribute.type)]
    let at = time + UInt64(random.number(in: 0..<3))
    steps.append(.save(on: replica, at: at, changes: [.update(name: name, values: values)]))
    hasUnpublished.insert(replica)
  }

  /// Two replicas do the like at the same time: edit one field of one record, or insert one unique value, with what
  /// hangs on it.
  mutating func duel() {
    let (left, right) = pair()
    let entity = random.pick(schema(of: left).entities)
    time += 1
    guard entity.unique.isEmpty, schema(of: right).entities.contains(where: { $0.name == entity.name }) else {
      return twins(entity, left, right)
    }
    let common = candidates(of: entity.name, for: left).filter { known[right]?.contains($0) == true }
    guard let name = random.pickIfAny(common),
      let attribute = random.pickIfAny(
        entity.attributes.filter(schema(of: right).entity(entity.name).attributes.contains))
    else { return }
    for (replica, place) in zip([left, right], 0...) {
      let value: JSONValue =
        switch attribute.type {
        case "int": .integer(Int64(place))
        case "file": .string(["0a*100", "0b*100"][place])
        default: .string(theme.words[place])
        }
      steps.append(.save(on: replica, at: time, changes: [.update(name: name, values: [attribute.name: value])]))
      hasUnpublished.insert(replica)
    }
  }

  /// The effect of one of few keys, so that replicas often do the same apart.
  mutating func effect(on replica: String) {
    let key = random.pick(["k1", "k2", "k3"])
    let names = effects[key] ?? (newRecord(of: "Effect", on: replica), newRecord(of: "Line", on: replica))
    effects[key] = names
    known[replica, default: []].formUnion([names.effect, names.line])
    time += UInt64(random.number(in: 0..<3))
    let amounts = (value("int"), value("int"))
    steps.append(
      .once(
        key: key, on: replica, at: time,
        changes: [
          .insert(entity: "Effect", name: names.effect, values: ["amount": amounts.0]),
          .insert(
            entity: "Line", name: names.line, values: ["amount": amounts.1, "effect": .string(names.effect)]),
        ]))
    hasUnpublished.insert(replica)
  }

  private mutating func twins(_ entity: SimulatedSchema.Entity, _ left: String, _ right: String) {
    // The root of what is unique: the entity whose key names no other record.
    let roots = schema(of: left).entities.filter { root in
      !root.unique.isEmpty && root.unique.joined().allSatisfy { key in root.attributes.contains { $0.name == key } }
    }
    guard let root = random.pickIfAny(roots), let key = root.unique.first?.first else { return }
    let shared = value("string")
    for replica in [left, right] {
      var edits: [HistoryStep.RecordEdit] = []
      let name = newRecord(of: root.name, on: replica)
      edits.append(
        .insert(entity: root.name, name: name, values: values(root, on: replica).merging([key: shared]) { $1 }))
      for child in schema(of: replica).entities {
        guard let reference = child.references.first(where: { $0.target == root.name && !$0.isExclusive }) else {
          continue
        }
        var values = values(child, on: replica)
        values[reference.name] = .string(name)
        for other in child.unique.joined() where other != reference.name { values[other] = .integer(1) }
        guard child.references.allSatisfy({ !$0.isRequired || values[$0.name] != nil }) else { continue }
        edits.append(.insert(entity: child.name, name: newRecord(of: child.name, on: replica), values: values))
      }
      steps.append(.save(on: replica, at: time, changes: edits))
      hasUnpublished.insert(replica)
    }
  }

  mutating func newRecord(of entity: String, on replica: String) -> String {
    let name = "r\(records.count + 1)"
    records.append((name, entity))
    known[replica, default: []].insert(name)
    return name
  }

  private mutating func link(
    _ entity: SimulatedSchema.Entity, on replica: String
  ) -> [HistoryStep.RecordEdit] {
    let owners = schema(of: replica).entities.filter { !$0.links.isEmpty }
    guard let owner = random.pickIfAny(owners), let relationship = owner.links.keys.sorted().first,
      let target = owner.links[relationship], let name = someRecord(of: owner.name, for: replica),
      let other = someRecord(of: target, for: replica)
    else { return update(entity, on: replica) }
    return [.link(name: name, relationship: relationship, other: other, isLinked: random.chance(70))]
  }

  private mutating func values(_ entity: SimulatedSchema.Entity, on replica: String) -> [String: JSONValue] {
    var values: [String: JSONValue] = [:]
    let unique = Set(entity.unique.joined())
    for attribute in entity.attributes {
      // A required unique value is always given: two defaults would be equal.
      guard unique.contains(attribute.name) || random.chance(80) else { continue }
      values[attribute.name] = attribute.isOptional && random.chance(15) ? .null : value(attribute.type)
    }
    for reference in entity.references where reference.isRequired || random.chance(65) {
      guard let name = someRecord(of: reference.target, for: replica) else { continue }
      values[reference.name] = .string(name)
    }
    return values
  }

  /// Few values, so that replicas often choose the same.
  private mutating func value(_ type: String) -> JSONValue {
    switch type {
    case "int": .integer(Int64(random.number(in: 0..<4)))
    case "file": .string("\(random.pick(["0a", "0b", "0c"]))*\(random.pick([40, 100, 100, 130, 400]))")
    default: .string(random.pick(theme.words))
    }
  }

  /// Mostly one that the replica has heard of.
  func candidates(of entity: String, for replica: String) -> [String] {
    records.filter { $0.entity == entity && known[replica]?.contains($0.name) == true }.map(\.name)
  }

  mutating func someRecord(of entity: String, for replica: String) -> String? {
    if random.chance(4), let any = random.pickIfAny(records.filter({ $0.entity == entity })) { return any.name }
    return random.pickIfAny(candidates(of: entity, for: replica))
  }
}
