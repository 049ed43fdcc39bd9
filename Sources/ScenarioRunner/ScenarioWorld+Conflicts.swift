import RecordStore
import RecordSync

extension ScenarioWorld {
  /// Every expected entry is in the log, once, and no entry is there that nothing was said about.
  func compare(_ expected: [Scenario.ExpectedConflict], on replica: ScenarioReplica) throws -> [String] {
    let entries = try ConflictLog(store: replica.store).entries()
    return try replica.store.read { snapshot in
      var failures: [String] = []
      var uncovered = Set(entries.indices)
      for conflict in expected {
        let found = try entries.indices.filter { try matches(conflict, entries[$0], in: snapshot) }
        if found.isEmpty { failures.append("the conflict log has no entry \(describe(conflict))") }
        uncovered.subtract(found)
      }
      for index in uncovered.sorted() {
        failures.append("the conflict log says \(describe(entries[index], snapshot.catalogue)), which was not expected")
      }
      for index in entries.indices where entries[..<index].contains(where: { $0.repeats(entries[index]) }) {
        failures.append("the conflict log says twice \(describe(entries[index], snapshot.catalogue))")
      }
      return failures
    }
  }

  /// Whether an entry says what is expected of it, by whichever name its record has.
  func matches(
    _ expected: Scenario.ExpectedConflict, _ entry: Conflict, in snapshot: borrowing StoreSnapshot
  ) throws -> Bool {
    let record = try known(expected.record, place: "conflicts")
    let entity = snapshot.catalogue.entities[entry.entity]
    if entity.isJoin { return try matchesLink(expected, entry, in: snapshot) }
    guard entity.name == record.entity, try snapshot.canonical(entry.record) == snapshot.canonical(record.id),
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

  /// A link of a many-to-many relationship is told of as the relationship of either of its ends; lost is the other.
  private func matchesLink(
    _ expected: Scenario.ExpectedConflict, _ entry: Conflict, in snapshot: borrowing StoreSnapshot
  ) throws -> Bool {
    let record = try known(expected.record, place: "conflicts")
    guard let facts = try snapshot.facts(entry.record, of: entry.entity),
      let entity = snapshot.catalogue.entity(named: record.entity),
      expected.kind == nil || expected.kind == "\(entry.kind)"
    else { return false }
    let ends = try facts.registers.compactMap { register -> RecordID? in
      guard case .reference(let id) = register.value else { return nil }
      return try snapshot.canonical(id)
    }
    let own = try snapshot.canonical(record.id)
    guard ends.count == 2, let index = ends.firstIndex(of: own) else { return false }
    if let name = expected.field {
      guard case .join(entry.entity, _, _)? = entity.relationship(named: name)?.storage else { return false }
    }
    guard let lost = expected.lost else { return true }
    guard case .string(let name) = lost else { return false }
    return try snapshot.canonical(known(name, place: "conflicts").id) == ends[1 - index]
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

extension Conflict {
  /// Whether two entries tell of the same lost write of the same field.
  fileprivate func repeats(_ other: Conflict) -> Bool {
    guard (entity, record, lostStamp) == (other.entity, other.record, other.lostStamp) else { return false }
    if fields.isEmpty && other.fields.isEmpty { return true }
    return fields.contains { field in other.fields.contains { $0.ordinal == field.ordinal } }
  }
}
