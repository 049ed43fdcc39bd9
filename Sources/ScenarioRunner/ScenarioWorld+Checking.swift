import Foundation
import RecordStore
import RecordSync

/// Compares what replicas hold with what the scenario expects; each difference is one sentence.
extension ScenarioWorld {
  func check(_ expectations: Scenario.Expectations) throws -> [String] {
    var failures: [String] = []
    for replica in replicas {
      var states: [Scenario.State] = []
      if let own = expectations.on[replica.name] { states.append(own) }
      if !expectations.everywhere.isEmpty { states.append(expectations.everywhere) }
      for state in states { failures += try check(state, on: replica).map { "on \(replica.name): \($0)" } }
    }
    return failures
  }

  private func check(_ state: Scenario.State, on replica: ScenarioReplica) throws -> [String] {
    var failures = try replica.store.read { snapshot -> [String] in
      var failures: [String] = []
      for (entity, expected) in state.records.sorted(by: { $0.key < $1.key }) {
        failures += try compare(expected, entity, in: snapshot)
      }
      for (entity, expected) in state.hidden.sorted(by: { $0.key < $1.key }) {
        failures += try compareHidden(expected, entity, in: snapshot)
      }
      for (entity, expected) in state.registers.sorted(by: { $0.key < $1.key }) {
        failures += try compareRegisters(expected, entity, in: snapshot)
      }
      for (entity, names) in state.forgotten.sorted(by: { $0.key < $1.key }) {
        let number = try number(of: entity, snapshot.catalogue)
        for name in names where try snapshot.facts(known(name, place: "expect").id, of: number) != nil {
          failures.append("\(entity) \(name) is known, expected to be forgotten")
        }
      }
      for (entity, count) in state.count.sorted(by: { $0.key < $1.key }) {
        let found = try snapshot.count(RecordQuery(entity: try number(of: entity, snapshot.catalogue)))
        if found != count { failures.append("\(found) records of \(entity) are visible, expected \(count)") }
      }
      for (field, expected) in state.sum.sorted(by: { $0.key < $1.key }) {
        let found = try sum(of: field, in: snapshot)
        if found != decimal(expected) { failures.append("the sum of \(field) is \(found), expected \(expected)") }
      }
      return failures
    }
    if let conflicts = state.conflicts { failures += try compare(conflicts, on: replica) }
    return failures
  }

  /// Over the visible records; a null counts as nothing.
  private func sum(of path: String, in snapshot: borrowing StoreSnapshot) throws -> Decimal {
    let names = path.split(separator: ".").map(String.init)
    let number = try number(of: names[0], snapshot.catalogue)
    guard let field = snapshot.catalogue.entities[number].field(named: names[1]) else {
      throw ScenarioError("expect: \(names[0]) has no field \"\(names[1])\"")
    }
    var sum: Decimal = 0
    for image in try snapshot.fetch(RecordQuery(entity: number)) {
      switch image.value(of: field) {
      case .int(let value): sum += Decimal(value)
      case .uint(let value): sum += Decimal(value)
      case .decimal(let value): sum += value
      case .double(let value): sum += decimal(.number(value)) ?? .nan
      case .null: continue
      default: throw ScenarioError("expect: \(path) is no number")
      }
    }
    return sum
  }

  private func decimal(_ value: JSONValue) -> Decimal? {
    switch value {
    case .integer(let value): Decimal(value)
    case .number(let value): Decimal(string: value.description)
    default: nil
    }
  }

  private func number(of entity: String, _ catalogue: Catalogue) throws -> EntityNumber {
    guard let entity = catalogue.entity(named: entity) else {
      throw ScenarioError("expect: there is no entity \"\(entity)\"")
    }
    return entity.number
  }

  private func compare(
    _ expected: [Scenario.ExpectedRecord], _ entity: String, in snapshot: borrowing StoreSnapshot
  ) throws -> [String] {
    let number = try number(of: entity, snapshot.catalogue)
    var failures: [String] = []
    var others = try snapshot.identifiers(RecordQuery(entity: number))
    for record in expected where !record.name.isEmpty {
      let id = try snapshot.canonical(known(record.name, place: "expect").id)
      others.removeAll { $0 == id }
      guard let image = try snapshot.record(id, of: number) else {
        failures.append("\(entity) \(record.name) is not visible, expected \(text(record.values))")
        continue
      }
      failures += try compare(record, image, snapshot.catalogue.entities[number], in: snapshot)
    }
    for record in expected where record.name.isEmpty {
      guard let index = try index(of: record, among: others, number, in: snapshot) else {
        failures.append("no other \(entity) is visible with \(text(record.values))")
        continue
      }
      others.remove(at: index)
    }
    return failures + others.map { "\(entity) \(name(of: $0)) is visible and not expected" }
  }

  /// The first of the records that has the values of one that is expected without a name.
  private func index(
    of record: Scenario.ExpectedRecord, among ids: [RecordID], _ entity: EntityNumber,
    in snapshot: borrowing StoreSnapshot
  ) throws -> Int? {
    for (index, id) in ids.enumerated() {
      guard let image = try snapshot.record(id, of: entity) else { continue }
      if try compare(record, image, snapshot.catalogue.entities[entity], in: snapshot).isEmpty { return index }
    }
    return nil
  }

  private func compare(
    _ record: Scenario.ExpectedRecord, _ image: RecordImage, _ entity: CatalogueEntity,
    in snapshot: borrowing StoreSnapshot
  ) throws -> [String] {
    var failures: [String] = []
    for (name, value) in record.values.sorted(by: { $0.key < $1.key }) {
      let found: String
      let expected: String
      let relationship = entity.relationship(named: name)
      if let relationship, relationship.isToMany || entity.field(named: name) == nil {
        let names = try value.names(place: "expect, \(record.name), \(name)")
        if let field = orderField(relationship) {
          let list = try snapshot.orderedList(of: image.id, entity.number, relationship: name, field: field)
          let found = list.ids.map { self.name(of: $0) }
          if found != names {
            failures.append("\(entity.name) \(record.name).\(name) is in the order \(found), expected \(names)")
          }
          continue
        }
        expected = try list(names.map { try known($0, place: "expect").id }, in: snapshot)
        found = try list(snapshot.related(image.id, of: entity.number, relationship: name), in: snapshot)
      } else if let field = entity.field(named: name) {
        let wanted = try self.value(value, of: field, place: "expect, \(record.name)")
        expected = try text(wanted, in: snapshot)
        found = try text(image.value(of: field), in: snapshot)
      } else {
        throw ScenarioError("expect, \(record.name): \(entity.name) has no field \"\(name)\"")
      }
      guard found != expected else { continue }
      failures.append("\(entity.name) \(record.name).\(name) is \(found), expected \(expected)")
    }
    return failures
  }

  /// The attribute that orders the other side of a relationship, if one does.
  private func orderField(_ relationship: CatalogueRelationship) -> String? {
    guard let inverse = relationship.inverse, scenario.ordered[relationship.destination]?.contains(inverse) == true
    else {
      return nil
    }
    return SchemaParser.orderField(of: inverse)
  }

  private func compareHidden(
    _ expected: [Scenario.ExpectedRecord], _ entity: String, in snapshot: borrowing StoreSnapshot
  ) throws -> [String] {
    let number = try number(of: entity, snapshot.catalogue)
    var failures: [String] = []
    for record in expected where try snapshot.record(known(record.name, place: "expect").id, of: number) != nil {
      failures.append("\(entity) \(record.name) is visible, expected to be hidden")
    }
    return failures + (try compareRegisters(expected, entity, in: snapshot))
  }

  private func compareRegisters(
    _ expected: [Scenario.ExpectedRecord], _ entity: String, in snapshot: borrowing StoreSnapshot
  ) throws -> [String] {
    let number = try number(of: entity, snapshot.catalogue)
    var failures: [String] = []
    for record in expected {
      guard let facts = try snapshot.facts(known(record.name, place: "expect").id, of: number) else {
        failures.append("nothing is known of \(entity) \(record.name)")
        continue
      }
      for (name, value) in record.values.sorted(by: { $0.key < $1.key }) {
        guard let field = snapshot.catalogue.entities[number].field(named: name) else {
          throw ScenarioError("expect, \(record.name): \(entity) has no field \"\(name)\"")
        }
        let wanted = try self.value(value, of: field, place: "expect, \(record.name)")
        let found = facts.registers.first { $0.ordinal == field.ordinal }?.value
        if found != wanted {
          let found = try found.map { try text($0, in: snapshot) } ?? "never written"
          failures.append("the register \(entity) \(record.name).\(name) is \(found), expected \(value)")
        }
      }
    }
    return failures
  }

  private func text(_ values: [String: JSONValue]) -> String { "\(JSONValue.object(values))" }

  private func text(_ value: FieldValue, in snapshot: borrowing StoreSnapshot) throws -> String {
    if case .reference(let id) = value { return name(of: try snapshot.canonical(id)) }
    return "\(value)"
  }

  private func list(_ ids: [RecordID], in snapshot: borrowing StoreSnapshot) throws -> String {
    var names: Set<String> = []
    for id in ids { names.insert(name(of: try snapshot.canonical(id))) }
    return "[" + names.sorted().joined(separator: ", ") + "]"
  }
}
