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
          takeUp(register, of: facts.key)
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
      let isNew = change.isParted || change.previousRows.count > 1
      var shown = RecordFacts(entity: change.entity, id: change.row)
      for member in change.members { shown.join(member) }
      for member in change.members {
        for register in member.registers {
          takeUp(register, of: row)
          guard let winner = shown.register(at: register.ordinal),
            isNew || arriving.contains(register.stamp) || arriving.contains(winner.stamp)
          else { continue }
          // What a delete took from a record was not lost to another.
          guard member.life ?? .zero > member.deleted ?? .zero else { continue }
          compare(register, with: winner, kind: .aliasJoined, record: row)
        }
      }
    }
  }

  /// A lost value whose author's successor wrote the field again, knowing it but not what it had lost to, is not lost
  /// any more: the successor's own value stands for it, and wins or is logged itself.
  private mutating func takeUp(_ register: RecordFacts.Register, of record: RecordKey) {
    let kept = log.units(of: record).filter { unit in
      unit.isDerived || unit.field?.ordinal != register.ordinal || unit.lost == register.stamp
        || !contexts.didSee(register.stamp, unit.lost) || contexts.didSee(register.stamp, unit.winning)
    }
    log.replace(kept, of: record)
  }

  private mutating func compare(
    _ register: RecordFacts.Register, with other: RecordFacts.Register, kind: Conflict.Kind, record: RecordKey
  ) {
    guard register.stamp != other.stamp else { return }
    let (winner, loser) = register.beats(other) ? (register, other) : (other, register)
    pointToWinner(winner, in: record)
    guard !settlement.isSame(register.value, other.value), !contexts.didSee(winner.stamp, loser.stamp) else { return }
    let field = Conflict.Field(ordinal: loser.ordinal, lost: loser.value, winning: winner.value)
    let unit = LogBook.Unit(
      kind: kind, lost: loser.stamp, winning: winner.stamp, field: field, loggedAtMilliseconds: log.nowMilliseconds)
    let before = log.units(of: record)
    let isTakenUp = before.contains { other in
      !other.isDerived && other.field?.ordinal == field.ordinal && other.lost != unit.lost
        && contexts.didSee(other.lost, unit.lost) && !contexts.didSee(other.lost, unit.winning)
    }
    guard !isTakenUp, !before.contains(where: { $0.isSameLoss(as: unit) }) else { return }
    log.replace(before + [unit], of: record)
  }

  /// Values that lost to an earlier write have lost to this one, if its author did not know them.
  private mutating func pointToWinner(_ winner: RecordFacts.Register, in record: RecordKey) {
    let units = log.units(of: record).compactMap { unit -> LogBook.Unit? in
      guard !unit.isDerived, var field = unit.field, field.ordinal == winner.ordinal, unit.winning < winner.stamp,
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
