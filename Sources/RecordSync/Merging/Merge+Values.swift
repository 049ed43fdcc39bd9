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
        var units = log.units(of: facts.key)
        for register in facts.registers {
          takeUp(register, kind: .editLost, &units)
          guard let other = known.register(at: register.ordinal) else { continue }
          compare(register, with: other, kind: .editLost, &units)
        }
        log.replace(units, of: facts.key)
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
      var units = log.units(of: row)
      for member in change.members {
        for register in member.registers {
          takeUp(register, kind: .aliasJoined, &units)
          guard let winner = shown.register(at: register.ordinal),
            isNew || arriving.contains(register.stamp) || arriving.contains(winner.stamp)
          else { continue }
          // A value that a delete took from a record was not lost to another.
          guard member.life ?? .zero > member.deleted ?? .zero else { continue }
          compare(register, with: winner, kind: .aliasJoined, &units)
        }
      }
      log.replace(units, of: row)
      log.keepOnce(row, members: change.members.map(\.key))
    }
  }

  /// A lost value whose author's successor wrote the field again, knowing it but not what it had lost to, is not lost
  /// any more: the successor's own value stands for it, and wins or is logged itself.
  ///
  /// A loss of one record by itself is no business of the records that it shares a row with: they may come apart again.
  private func takeUp(_ register: RecordFacts.Register, kind: Conflict.Kind, _ units: inout [LogBook.Unit]) {
    units.removeAll { unit in
      unit.kind == kind && unit.field?.ordinal == register.ordinal && unit.lost != register.stamp
        && contexts.didSee(register.stamp, unit.lost) && !contexts.didSee(register.stamp, unit.winning)
    }
  }

  private func compare(
    _ register: RecordFacts.Register, with other: RecordFacts.Register, kind: Conflict.Kind,
    _ units: inout [LogBook.Unit]
  ) {
    guard register.stamp != other.stamp else { return }
    let (winner, loser) = register.beats(other) ? (register, other) : (other, register)
    pointToWinner(winner, kind: kind, &units)
    guard !settlement.isSame(register.value, other.value), !contexts.didSee(winner.stamp, loser.stamp) else { return }
    let field = Conflict.Field(ordinal: loser.ordinal, lost: loser.value, winning: winner.value)
    let unit = LogBook.Unit(
      kind: kind, lost: loser.stamp, winning: winner.stamp, field: field, loggedAtMilliseconds: log.nowMilliseconds)
    let isTakenUp = units.contains { other in
      other.kind == kind && other.field?.ordinal == field.ordinal && other.lost != unit.lost
        && contexts.didSee(other.lost, unit.lost) && !contexts.didSee(other.lost, unit.winning)
    }
    guard !isTakenUp, !units.contains(where: { $0.kind == kind && $0.isSameLoss(as: unit) }) else { return }
    units.append(unit)
  }

  /// Values that lost to an earlier write have lost to this one, if its author did not know them.
  private func pointToWinner(_ winner: RecordFacts.Register, kind: Conflict.Kind, _ units: inout [LogBook.Unit]) {
    units = units.compactMap { unit in
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
  }
}
