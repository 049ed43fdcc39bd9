import RecordStore
import ScenarioRunner

// Checks of what one store shows, without the oracle.
extension HistoryRun {
  /// I9: every reference that readers see leads to a record that they see.
  func checkReferences(_ view: StoreView, on replica: String) throws {
    let visible = Set(view.records.values.flatMap(\.keys))
    outcome.checked.insert(.noReferenceToTheInvisible)
    for (entity, records) in view.records {
      for (id, values) in records {
        for (field, value) in values {
          guard case .reference(let target) = value, !visible.contains(target) else { continue }
          throw fail(
            .noReferenceToTheInvisible, "on \(replica): \(entity) \(name(id)).\(field) names \(name(target)), unseen")
        }
      }
    }
    for (join, links) in view.links {
      for ends in links where ends.count != 2 || !visible.isSuperset(of: ends) {
        throw fail(.noReferenceToTheInvisible, "on \(replica): a link of \(join) has an end that is not visible")
      }
    }
  }

  /// I10: one visible record a unique value.
  func checkUniqueValues(_ view: StoreView, on replica: String) throws {
    for entity in history.newestSchema.entities where !entity.unique.isEmpty {
      outcome.checked.insert(.uniqueValuesAreUnique)
      for key in entity.unique {
        var seen: [[FieldValue]: RecordID] = [:]
        for (id, values) in view.records[entity.name] ?? [:] {
          let tuple = key.map { values[$0] ?? .null }
          guard !tuple.contains(.null) else { continue }
          if let other = seen.updateValue(id, forKey: tuple) {
            throw fail(
              .uniqueValuesAreUnique,
              "on \(replica): \(entity.name) \(name(id)) and \(name(other)) have one \(key.joined(separator: ", "))")
          }
        }
      }
    }
  }

  /// I12: per owner, the amounts that count are those that the oracle counts.
  func checkSums(_ view: StoreView, on replica: String) throws {
    let state = state(of: replica, vector: view.vector)
    for entity in history.newestSchema.entities where entity.attributes.contains(where: { $0.name == "amount" }) {
      outcome.checked.insert(.nothingCountsTwice)
      let sum = { (records: [RecordID: [String: FieldValue]]) in
        records.values.reduce(Int64(0)) { sum, values in
          if case .int(let amount)? = values["amount"] { sum + amount } else { sum }
        }
      }
      let (found, wanted) = (sum(view.records[entity.name] ?? [:]), sum(state.records(of: entity.name)))
      guard found == wanted else {
        throw fail(.nothingCountsTwice, "on \(replica): the sum of \(entity.name) is \(found), expected \(wanted)")
      }
    }
  }

  /// The oracle's word as the expectations of a scenario: of all replicas in the end, or of the one on which
  /// something else was seen before.
  func expectation() throws -> JSONValue {
    if history.hasOracle, let violation = outcome.violation, violation.step != nil, let replica = violation.replica {
      let vector = try StoreView.read(session.store(of: replica)).vector
      let state = state(of: replica, vector: vector)
      let expected = ExpectationWriter.expectation(of: state, schema: schema(of: replica), files: files, name: name)
      return .object(["on": .object([replica: expected])])
    }
    guard history.hasOracle else { return .object([:]) }
    var vector: [UInt64: UInt64] = [:]
    for transaction in transactions {
      vector[transaction.replica] = max(vector[transaction.replica] ?? 0, transaction.sequence)
    }
    vector.merge(lastOfForgotten) { $1 }
    let state = state(of: history.members[0], vector: vector)
    let expected = ExpectationWriter.expectation(of: state, schema: history.newestSchema, files: files, name: name)
    guard !history.forgotten.isEmpty else { return expected }
    return .object(["on": .object(Dictionary(uniqueKeysWithValues: history.members.map { ($0, expected) }))])
  }
}
