extension LocalWork {
  /// The work with the ids of its inserts derived from its once key, and which id became which.
  ///
  /// Inserts are counted within their entity, in their order: equal requests make equal ids on every device.
  /// References, updates, links and deletes that name an insert follow it.
  func derivingIDs(catalogue: Catalogue) -> (work: LocalWork, derived: [RecordID: RecordID]) {
    guard let key = once else { return (self, [:]) }
    var derived: [RecordID: RecordID] = [:]
    var counts: [EntityNumber: Int] = [:]
    let changes = changes + edits.changes + drafts.changes
    for case .insert(let entity, let id, _) in changes
    where derived[id] == nil && catalogue.entities.indices.contains(entity) {
      let ordinal = counts[entity, default: 0]
      counts[entity] = ordinal + 1
      derived[id] = key.recordID(entity: catalogue.entities[entity].name, ordinal: ordinal)
    }
    var work = self
    work.changes = changes.map { $0.replacing(derived) }
    work.edits = RecordEdits()
    work.drafts = RecordDrafts()
    return (work, derived)
  }
}

extension RecordChange {
  fileprivate func replacing(_ ids: [RecordID: RecordID]) -> RecordChange {
    func replaced(_ id: RecordID) -> RecordID { ids[id] ?? id }
    func replaced(_ fields: [FieldWrite]) -> [FieldWrite] {
      fields.map { write in
        guard case .reference(let target) = write.value else { return write }
        return FieldWrite(write.ordinal, .reference(replaced(target)))
      }
    }
    switch self {
    case .insert(let entity, let id, let fields):
      return .insert(entity: entity, id: replaced(id), fields: replaced(fields))
    case .update(let entity, let id, let fields):
      return .update(entity: entity, id: replaced(id), fields: replaced(fields))
    case .delete(let entity, let id): return .delete(entity: entity, id: replaced(id))
    case .link(let entity, let id, let relationship, let other, let isLinked):
      return .link(
        entity: entity, id: replaced(id), relationship: relationship, other: replaced(other), isLinked: isLinked)
    }
  }
}

extension SaveResult {
  /// The result under the ids that the caller gave.
  mutating func name(_ derived: [RecordID: RecordID]) {
    for (given, id) in derived {
      let final = remapped[id] ?? id
      if final != given { remapped[given] = final }
    }
    for id in derived.values where derived[id] == nil { remapped[id] = nil }
  }
}
