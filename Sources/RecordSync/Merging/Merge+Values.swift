import RecordStore

// Values that lose against values.
extension Merge {
  /// Compares what arrives of each record with what was known of it, and joins it.
  mutating func compareValues() {
    for transaction in transactions {
      for facts in transaction.records {
        guard var known = known[facts.key] else {
          known[facts.key] = facts
          continue
        }
        for register in facts.registers {
          takeUp(register, of: facts.key, kind: .editLost)
          guard let other = known.register(at: register.ordinal) else { continue }
          compare(register, with: other, kind: .editLost, record: facts.key)
        }
        known.join(facts)
        self.known[facts.key] = known
      }
    }
  }

  /// Compares what the records of a row say for themselves: of each field the row shows the latest write.
  mutating func compareJoined() {
    for change in settlement.classes {
      let row = RecordKey(entity: change.entity, id: change.row)
      for id in change.previousRows {
        let previous = RecordKey(entity: change.entity, id: id)
        if change.isParted { log.part(previous) } else { log.move(from: previous, to: row) }
      }
      guard change.members.count > 1 else { continue }
      let isNew = change.isRegrouped
      var shown = RecordFacts(entity: change.entity, id: change.row)
      for member in change.members { shown.join(member) }
      for member in change.members {
        for register in member.registers {
          takeUp(register, of: row, kind: .aliasJoined)
          guard let winner = shown.register(at: register.ordinal),
            isNew || arriving.contains(register.stamp) || arriving.contains(winner.stamp)
          else { continue }
          // What a delete took from a record was not lost to another.
          guard member.life ?? .zero > member.deleted ?? .zero else { continue }
          compare(register, with: winner, kind: .aliasJoined, record: row)
        }
      }
      log.keepOnce(row, members: change.members.map(\.key))
    }
  }

  /// A lost value whose author's successor wrote the field again, knowing it but not what it had lost to, is not lost
  /// any more: the successor's own value stands for it, and wins or is logged itself.
  ///
  /// What a record lost by itself is no business of the records that it shares a row with: they may come apart again.
  private mutating func takeUp(_ register: RecordFacts.Register, of record: RecordKey, kind: Conflict.Kind) {
    let kept = log.units(of: record).filter { unit in
      unit.kind != kind || unit.field?.ordinal != register.ordinal || unit.lost == register.stamp
        || !contexts.didSee(register.stamp, unit.lost) || contexts.didSee(register.stamp, unit.winning)
    }
    log.replace(kept, of: record)
  }

  private mutating func compare(
    _ register: RecordFacts.Register, with other: RecordFacts.Register, kind: Conflict.Kind, record: RecordKey
  ) {
    guard register.stamp != other.stamp else { return }
    let (winner, loser) = register.beats(other) ? (register, other) : (other, register)
    pointToWinner(winner, in: record, kind: kind)
    guard !settlement.isSame(register.value, other.value), !contexts.didSee(winner.stamp, loser.stamp) else { return }
    let field = Conflict.Field(ordinal: loser.ordinal, lost: loser.value, winning: winner.value)
    let unit = LogBook.Unit(
      kind: kind, lost: loser.stamp, winning: winner.stamp, field: field, loggedAtMilliseconds: log.nowMilliseconds)
    let before = log.units(of: record)
    let isTakenUp = before.contains { other in
      other.kind == kind && other.field?.ordinal == field.ordinal && other.lost != unit.lost
        && contexts.didSee(other.lost, unit.lost) && !contexts.didSee(other.lost, unit.winning)
    }
    guard !isTakenUp, !before.contains(where: { $0.kind == kind && $0.isSameLoss(as: unit) }) else { return }
    log.replace(before + [unit], of: record)
  }

  /// Values that lost to an earlier write have lost to this one, if its author did not know them.
  private mutating func pointToWinner(_ winner: RecordFacts.Register, in record: RecordKey, kind: Conflict.Kind) {
    let units = log.units(of: record).compactMap { unit -> LogBook.Unit? in
      guard unit.kind == kind, var field = unit.field, field.ordinal == winner.ordinal, unit.winning < winner.stamp,
        unit.lost != winner.stamp, !contexts.didSee(winner.stamp, unit.lost)
      else { return unit }
      // The value is back, by another hand.
      if settlement.isSame(field.lost, winner.value) { return nil }
      field.winning = winner.value
      var unit = unit
      unit.field = field
      unit.winning = winner.stamp
      return unit
    }
    log.replace(units, of: record)
  }
}
