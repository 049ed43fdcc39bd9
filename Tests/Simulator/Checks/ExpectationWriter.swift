import RecordStore
import ScenarioRunner

/// Writes what the oracle expects as a scenario's `expect`.
enum ExpectationWriter {
  /// `files`: the texts that stand for large values.
  static func expectation(
    of state: OracleState, schema: SimulatedSchema, files: [FieldValue: String], name: (RecordID) -> String
  ) -> JSONValue {
    var records: [String: JSONValue] = [:]
    for entity in schema.entities where !entity.isJoin {
      let found = state.records(of: entity.name).sorted { $0.key < $1.key }
      records[entity.name] = .array(
        found.map { id, values in
          var members: [String: JSONValue] = ["as": .string(name(id))]
          for (field, value) in values { members[field] = json(value, files, name) }
          for (relationship, _) in entity.links {
            members[relationship] = .array(
              ends(of: id, SimulatedSchema.join(entity.name, relationship), state).map { .string(name($0)) })
          }
          return .object(members)
        })
    }
    return .object(["records": .object(records)])
  }

  private static func ends(of id: RecordID, _ join: String, _ state: OracleState) -> [RecordID] {
    let found = state.records(of: join).values.compactMap { values -> RecordID? in
      guard values["left"] == .reference(id), case .reference(let other)? = values["right"] else { return nil }
      return other
    }
    return Set(found).sorted()
  }

  private static func json(
    _ value: FieldValue, _ files: [FieldValue: String], _ name: (RecordID) -> String
  ) -> JSONValue {
    switch value {
    case .string(let text): .string(text)
    case .int(let number): .integer(number)
    case .reference(let id): .string(name(id))
    case .data: files[value].map(JSONValue.string) ?? .null
    default: .null
    }
  }
}
