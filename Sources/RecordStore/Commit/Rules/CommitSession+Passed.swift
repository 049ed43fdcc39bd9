// The records that were taken without a look at their rules.
extension CommitSession {
  /// Carries out the changes of a local save that were not taken, in the order of the request.
  func apply(beside passed: PassedChanges) throws {
    if !passed.isEmpty { division.passed = passed }
    division.pending = try passed.asked()[...]
    for change in division.pending { note(change) }
    let hasDeletes = division.pending.contains { $0.deleted != nil }
    if hasDeletes, terms.dropsUpdatesOfLeaving {
      try noteMoves(in: division.pending.drop { $0.deleted == nil }.compactMap(\.change))
    }
    while let next = division.pending.first {
      reach(next.place)
      let deletes = takeDeletes()
      if deletes.isEmpty { try carryOut(division.pending.removeFirst()) } else { try delete(deletes) }
    }
    reach(.max)
    if hasDeletes, terms.dropsUpdatesOfLeaving { try cascadeThroughLastLinks() }
  }

  private func reach(_ place: Int) {
    division.place = place
    division.reached = place
  }

  /// Deletes that follow each other in the request are one step.
  private func takeDeletes() -> [RecordKey] {
    var keys: [RecordKey] = []
    while let next = division.pending.first, keys.isEmpty || next.place == division.place + 1,
      let key = next.deleted
    {
      keys.append(key)
      reach(next.place)
      division.pending.removeFirst()
    }
    return keys
  }

  /// Joins what was taken of a merge, and refused.
  func merge(refused: Set<RecordKey>) throws {
    for key in refused.sorted() { _ = try slot(of: key.id, entity: key.entity) }
  }

  /// A change that is given back of a merge takes effect at once; of a local save if it stands before the change that
  /// asks, else in its turn.
  func take(_ change: ReturnedChange) throws {
    note(change)
    guard !isMerge else { return try carryOut(change) }
    guard change.place < division.reached else {
      let index = division.pending.firstIndex { $0.place > change.place } ?? division.pending.endIndex
      division.pending.insert(change, at: index)
      return
    }
    let asking = division.place
    division.place = change.place
    try carryOut(change)
    division.place = asking
    // Behind all changes, no later step works the queue off.
    if asking == .max, !settling.isSettling { try settle() }
  }

  private func carryOut(_ returned: ReturnedChange) throws {
    switch returned.content {
    case .facts(let facts): for facts in facts { try merge(facts) }
    case .change(let change):
      if settling.isSettling, let key = returned.deleted { try deletePassed(key) } else { try apply(change) }
    }
    if let key = returned.newRecord, let slot = slots[key] { try show(slot) }
  }

  private func note(_ change: ReturnedChange) {
    if let facts = change.entered { division.entered[RecordKey(entity: facts.entity, id: facts.id)] = facts }
  }
}
