import RecordStore

/// Says which values of one record lost to others that were written without knowing them.
struct ValueComparison {
  let contexts: CausalContexts
  let settlement: Settlement
  let nowMilliseconds: UInt64

  /// Compares what a transaction says of a record with what is known of it.
  func compare(_ facts: RecordFacts, with known: RecordFacts, _ units: inout [LogBook.Unit]) {
    for register in facts.registers {
      takeUp(register, kind: .editLost, &units)
      guard let other = known.register(at: register.ordinal) else { continue }
      compare(register, with: other, kind: .editLost, &units)
    }
  }

  /// A lost value whose author's successor wrote the field again, knowing it but not what it had lost to, is not lost
  /// any more: the successor's own value stands for it, and wins or is logged itself.
  ///
  /// A loss of one record by itself is no business of the records that it shares a row with: they may come apart again.
  func takeUp(_ register: RecordFacts.Register, kind: Conflict.Kind, _ units: inout [LogBook.Unit]) {
    guard !units.isEmpty else { return }
    units.removeAll { unit in
      unit.kind == kind && unit.field?.ordinal == register.ordinal && unit.lost != register.stamp
        && contexts.didSee(register.stamp, unit.lost) && !contexts.didSee(register.stamp, unit.winning)
    }
  }

  /// Compares two writes of a field.
  func compare(
    _ register: RecordFacts.Register, with other: RecordFacts.Register, kind: Conflict.Kind,
    _ units: inout [LogBook.Unit]
  ) {
    guard register.stamp != other.stamp else { return }
    let (winner, loser) = register.beats(other) ? (register, other) : (other, register)
    pointToWinner(winner, kind: kind, &units)
    // A write that was here may have taken up, knowing it, what has just been said to have lost to the arrival.
    takeUp(loser, kind: kind, &units)
    guard !contexts.didSee(winner.stamp, loser.stamp) else { return }
    // An equal value is no loss yet. It is one of its own record's log, so that a later write finds it there.
    guard kind == .editLost || !settlement.isSame(register.value, other.value) else { return }
    let field = Conflict.Field(ordinal: loser.ordinal, lost: loser.value, winning: winner.value)
    let unit = LogBook.Unit(
      kind: kind, lost: loser.stamp, winning: winner.stamp, field: field, loggedAtMilliseconds: nowMilliseconds)
    let isTakenUp = units.contains { other in
      other.kind == kind && other.field?.ordinal == field.ordinal && other.lost != unit.lost
        && contexts.didSee(other.lost, unit.lost) && !contexts.didSee(other.lost, unit.winning)
    }
    guard !isTakenUp, !units.contains(where: { $0.kind == kind && $0.isSameLoss(as: unit) }) else { return }
    units.append(unit)
  }

  /// Values that lost to an earlier write have lost to this one, if its author did not know them. So have those that
  /// the earlier write repeated.
  private func pointToWinner(_ winner: RecordFacts.Register, kind: Conflict.Kind, _ units: inout [LogBook.Unit]) {
    var index = units.startIndex
    while index < units.endIndex {
      let unit = units[index]
      guard unit.kind == kind, unit.field?.ordinal == winner.ordinal, unit.winning < winner.stamp,
        unit.lost != winner.stamp, !contexts.didSee(winner.stamp, unit.lost)
      else {
        index += 1
        continue
      }
      // The value is back, by another hand; of joined records each one's writes tell it again when another value comes.
      if kind == .aliasJoined, let field = unit.field, settlement.isSame(field.lost, winner.value) {
        units.remove(at: index)
        continue
      }
      units[index].field?.winning = winner.value
      units[index].winning = winner.stamp
      index += 1
    }
  }
}
