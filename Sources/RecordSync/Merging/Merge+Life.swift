import RecordStore

// Life and death: deletes that beat edits, edits that beat deletes, and one-to-one references that another took. The
// store has settled which records live; here it is only said whose writes are not to be seen for it.
extension Merge {
  mutating func judgeLives() {
    let regrouped = Set(settlement.classes.filter(\.isRegrouped).map { RecordKey(entity: $0.entity, id: $0.row) })
    for (key, record) in settlement.records {
      let derived = losses(of: key, record)
      let before = log.units(of: key)
      let isChanged =
        settlement.standingsBefore[key]?.isSameLife(as: record.standing) != true || regrouped.contains(key)
      let kept = derived.compactMap { unit -> LogBook.Unit? in
        if let old = before.first(where: { $0.kind == unit.kind && $0.isSameLoss(as: unit) }) {
          var unit = unit
          unit.loggedAtMilliseconds = old.loggedAtMilliseconds
          return unit
        }
        // A circle is closed and opened by other records' references, too.
        let isNew = unit.kind == .moveVoided || arriving.contains(unit.lost) || arriving.contains(unit.winning)
        return isChanged || isNew ? unit : nil
      }
      log.replace(before.filter { !$0.isDerived } + kept, of: key)
    }
  }

  /// The losses of one record that the facts of the moment tell.
  private func losses(of key: RecordKey, _ record: Settlement.Record) -> [LogBook.Unit] {
    switch record.standing {
    case .waiting: return record.forgottenBy.map { lossesToDelete($0, record.facts) { _ in true } } ?? []
    case .dead(let deleted, let killer):
      return lossesToDelete(deleted, record.facts) { register in
        // Where a delete is not final, and the record's own, later values stem from nobody: migrations, defaults.
        killer != key.id || register.stamp < deleted || settlement.finalEntities.contains(key.entity)
      }
    case .alive(let activity):
      // Local saves refuse such moves, so nobody can have made one knowingly.
      let voids = record.voidReferences.map { void in
        let field = Conflict.Field(
          ordinal: void.ordinal, lost: .reference(void.target), winning: .reference(void.winner))
        return unit(.moveVoided, lost: void.stamp, winning: void.winningStamp, field)
      }
      let references = record.lostReferences.filter { !contexts.didSee($0.winningStamp, $0.stamp) }.map { lost in
        let field = Conflict.Field(
          ordinal: lost.ordinal, lost: .reference(lost.target), winning: .reference(lost.winner))
        return unit(.referenceLost, lost: lost.stamp, winning: lost.winningStamp, field)
      }
      guard let activity, let deleted = record.facts.deleted, !contexts.didSee(activity, deleted) else {
        return voids + references
      }
      return voids + references + [unit(.deletionOverridden, lost: deleted, winning: activity, nil)]
    }
  }

  /// The values that are not to be seen for a delete whose author did not know them.
  private func lossesToDelete(
    _ deleted: Stamp, _ facts: RecordFacts, where isBeaten: (RecordFacts.Register) -> Bool
  ) -> [LogBook.Unit] {
    facts.registers.filter { isBeaten($0) && !didSee(deleted, $0, of: facts) }.map { register in
      let field = Conflict.Field(ordinal: register.ordinal, lost: register.value, winning: .null)
      return unit(.editLostToDelete, lost: register.stamp, winning: deleted, field)
    }
  }

  /// Whether the author of a delete had seen a value. A value that a once insert wrote was seen with any run of its
  /// key.
  private func didSee(_ deleted: Stamp, _ register: RecordFacts.Register, of facts: RecordFacts) -> Bool {
    contexts.didSee(deleted, register.stamp)
      || register.isOnce && facts.onceInserts.contains { contexts.didSee(deleted, $0.stamp) }
  }

  private func unit(
    _ kind: Conflict.Kind, lost: Stamp, winning: Stamp, _ field: Conflict.Field?
  ) -> LogBook.Unit {
    LogBook.Unit(
      kind: kind, lost: lost, winning: winning, field: field, loggedAtMilliseconds: log.nowMilliseconds)
  }
}

extension RecordStanding {
  fileprivate func isSameLife(as other: RecordStanding) -> Bool {
    switch (self, other) {
    case (.alive, .alive), (.waiting, .waiting): true
    case (.dead(let deleted, let killer), .dead(let other, let otherKiller)): (deleted, killer) == (other, otherKiller)
    default: false
    }
  }
}
