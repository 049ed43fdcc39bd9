/// Reads what replicas must agree on.
struct ExpectationParser {
  let replicas: Set<String>

  func expectations(_ reader: JSONReader) throws -> Scenario.Expectations {
    let members = try reader.members(optional: ["records", "hidden", "registers", "count", "conflicts", "on"])
    var expectations = Scenario.Expectations(everywhere: try state(members))
    for (name, reader) in try members["on"]?.members() ?? [] {
      guard replicas.contains(name) else { throw reader.failure("there is no replica \"\(name)\"") }
      expectations.on[name] = try state(
        reader.members(optional: ["records", "hidden", "registers", "count", "conflicts"]))
    }
    return expectations
  }

  private func state(_ members: [String: JSONReader]) throws -> Scenario.State {
    var state = Scenario.State()
    state.records = try records(members["records"])
    state.hidden = try records(members["hidden"])
    state.registers = try records(members["registers"])
    for (entity, reader) in try members["count"]?.members() ?? [] { state.count[entity] = try reader.integer() }
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
        guard !record.name.isEmpty else { throw reader.failure("the key \"as\" is missing") }
        return record
      }
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
