import RecordStore
import StoreInspection

/// Edits of single records, each one commit.
extension EditSession {
  /// The record's id is that of the input, or a new one.
  func insert(_ name: String, _ input: RecordInput) throws -> (outcome: EditOutcome, id: RecordID) {
    try input.require(entity: name, id: nil)
    let id = input.id ?? RecordIDGenerator.shared.next()
    let (outcome, _) = try commit { snapshot in
      let entity = try RecordFinder.entity(named: name, in: snapshot.catalogue)
      if try snapshot.row(id, of: entity.number) != nil {
        throw CommandFailure("there is a '\(name)' with the id \(id); change it by 'tandem edit', or leave the id out")
      }
      if let other = try snapshot.entity(of: id), other != entity.number {
        let other = snapshot.catalogue.entities[other].name
        throw CommandFailure("the id \(id) is one of '\(other)', and an id names one record; leave the id out")
      }
      let plan = try RecordPlan(input.statements, entity: entity, id: id, known: nil, in: snapshot)
      return (plan.changes, ())
    }
    return (outcome, id)
  }

  /// The record's id is the one that it goes by now, which may be another than the one that was given.
  func edit(_ id: RecordID, _ input: RecordInput) throws -> (outcome: EditOutcome, entity: String, id: RecordID) {
    let (outcome, edited) = try commit { snapshot in
      let record = try RecordFinder.record(id, in: snapshot)
      let name = snapshot.catalogue.entities[record.entity].name
      try input.require(entity: name, id: id)
      let entity = try RecordFinder.entity(named: name, in: snapshot.catalogue)
      let plan = try RecordPlan(input.statements, entity: entity, id: record.id, known: record, in: snapshot)
      return (plan.changes, (entity: name, id: record.id))
    }
    return (outcome, edited.entity, edited.id)
  }

  /// The records that would go, as they stand now.
  func deletions(of ids: [RecordID]) throws -> [RecordChange] {
    try read { snapshot in
      try ids.map { id in
        let record = try RecordFinder.record(id, in: snapshot)
        return .delete(entity: record.entity, id: record.id)
      }
    }
  }
}

extension EditOutcome {
  /// The answer to an insert or an edit.
  func json(entity: String, id: RecordID) -> JSON {
    [
      "entity": .string(entity), "id": .string(id.description), "transaction": .integer(transaction),
      "changes": changesJSON,
    ]
  }
}
