/// Reads what replicas must agree on.
struct ExpectationParser {
  let replicas: Set<String>
  private static let keys = ["records", "hidden", "registers", "forgotten", "count", "sum", "conflicts"]

  func expectations(_ reader: JSONReader) throws -> Scenario.Expectations {
    let members = try reader.members(optional: ExpectationParser.keys + ["on"])
    var expectations = Scenario.Expectations(everywhere: try state(members))
    for (name, reader) in try members["on"]?.members() ?? [] {
      guard replicas.contains(name) else { throw reader.failure("there is no replica \"\(name)\"") }
      expectations.on[name] = try state(reader.members(optional: ExpectationParser.keys))
    }
    return expectations
  }

  private func state(_ members: [String: JSONReader]) throws -> Scenario.State {
    var state = Scenario.State()
    state.records = try records(members["records"])
    state.hidden = try named(members["hidden"])
    state.registers = try named(members["registers"])
    for (entity, reader) in try members["forgotten"]?.members() ?? [] { state.forgotten[entity] = try reader.strings() }
    for (entity, reader) in try members["count"]?.members() ?? [] { state.count[entity] = try reader.integer() }
    for (field, reader) in try members["sum"]?.members() ?? [] {
      guard field.split(separator: ".").count == 2 else { throw reader.failure("a sum names Entity.field") }
      state.sum[field] = reader.value
    }
    state.conflicts = try members["conflicts"]?.elements("conflict").map(conflict)
    return state
  }

  private func records(_ reader: JSONReader?) throws -> [String: [Scenario.ExpectedRecord]] {
    var records: [String: [Scenario.ExpectedRecord]] = [:]
    for (entity, list) in try reader?.members() ?? [] {
      records[entity] = try list.elements("record").map { reader in
        var record = Scenario.ExpectedRecord(name: "", values: [:])
        for (name, member) in try reader.members() {
          if name == "as" { record.name = try member.string() } else { record.values[name] = member.value }
        }
        return record
      }
    }
    return records
  }

  /// Only what readers see can be found by its values.
  private func named(_ reader: JSONReader?) throws -> [String: [Scenario.ExpectedRecord]] {
    let records = try records(reader)
    guard !records.values.joined().contains(where: \.name.isEmpty) else {
      throw reader?.failure("a record lacks the key \"as\"") ?? ScenarioError("a record lacks the key \"as\"")
    }
    return records
  }

  func conflict(_ reader: JSONReader) throws -> Scenario.ExpectedConflict {
    let members = try reader.members(required: ["record"], optional: ["kind", "field", "lost", "won"])
    return Scenario.ExpectedConflict(
      record: try members["record"]?.string() ?? "", kind: try members["kind"]?.string(),
      field: try members["field"]?.string(), lost: members["lost"]?.value, won: members["won"]?.value)
  }
}
