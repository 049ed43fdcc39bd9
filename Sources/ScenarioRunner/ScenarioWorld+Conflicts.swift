import RecordStore
import RecordSync

extension ScenarioWorld {
  /// Every expected entry is in the log, and nothing else is.
  func compare(_ expected: [Scenario.ExpectedConflict], on replica: ScenarioReplica) throws -> [String] {
    let catalogue = try replica.store.read { $0.catalogue }
    var failures: [String] = []
    // One unit for each lost field, and one for a delete that lost.
    var uncovered = try ConflictLog(store: replica.store).entries().flatMap { entry -> [Conflict] in
      if entry.fields.isEmpty { return [entry] }
      return entry.fields.map { field in
        var unit = entry
        unit.fields = [field]
        return unit
      }
    }
    for conflict in expected {
      let before = uncovered.count
      try uncovered.removeAll { try matches(conflict, $0, catalogue: catalogue) }
      if uncovered.count == before { failures.append("the conflict log has no entry \(describe(conflict))") }
    }
    failures += uncovered.map { "the conflict log says \(describe($0, catalogue)), which was not expected" }
    return failures
  }

  func matches(
    _ expected: Scenario.ExpectedConflict, _ entry: Conflict, catalogue: Catalogue
  ) throws -> Bool {
    let record = try known(expected.record, place: "conflicts")
    let entity = catalogue.entities[entry.entity]
    guard entity.name == record.entity, entry.record == record.id || name(of: entry.record) == expected.record,
      expected.kind == nil || expected.kind == "\(entry.kind)"
    else { return false }
    guard expected.field != nil || expected.lost != nil || expected.won != nil else { return true }
    return try entry.fields.contains { field in
      let known = entity.fields[field.ordinal]
      if let name = expected.field, name != known.name { return false }
      if let lost = expected.lost, try value(lost, of: known, place: "conflicts") != field.lost { return false }
      if let won = expected.won, try value(won, of: known, place: "conflicts") != field.winning { return false }
      return true
    }
  }

  private func describe(_ conflict: Scenario.ExpectedConflict) -> String {
    let parts = [
      conflict.kind, conflict.field.map { "field \($0)" }, conflict.lost.map { "lost \($0)" },
      conflict.won.map { "won \($0)" },
    ]
    return ([conflict.record] + parts.compactMap(\.self)).joined(separator: ", ")
  }

  private func describe(_ entry: Conflict, _ catalogue: Catalogue) -> String {
    let entity = catalogue.entities[entry.entity]
    let fields = entry.fields.map {
      "field \(entity.fields[$0.ordinal].name), lost \($0.lost), won \($0.winning)"
    }
    return (["\(name(of: entry.record)), \(entry.kind)"] + fields).joined(separator: ", ")
  }
}
