import RecordStore

/// Says which values of one record lost to others that were written without knowing them.
struct ValueComparison {
  let contexts: CausalContexts
  let settlement: Settlement
  let nowMilliseconds: UInt64

  /// Compares what a transaction says of a record with what is known of it.
  func compare(_ facts: RecordFacts, with known: RecordFacts, _ units: inout [LogBook.Unit]) {
    for register in facts.registers {
      takeUp(register, &units)
      guard let other = known.register(at: register.ordinal) else { continue }
      compare(register, with: other, &units)
    }
  }

  /// Whether the author of one write had seen another and put its own in that one's place. `row`: where the two were
  /// written to different records that share this row, the author must have known that they do.
  private func didReplace(_ winner: Stamp, _ loser: Stamp, in row: RecordKey?) -> Bool {
    guard contexts.didSee(winner, loser) else { return false }
    return row.map { !settlement.strangers.contains(.init(row: $0, write: winner, seen: loser)) } ?? true
  }

  private func kind(in row: RecordKey?) -> Conflict.Kind { row == nil ? .editLost : .aliasJoined }

  /// A lost value whose author's successor wrote the field again, knowing it but not what it had lost to, is not lost
  /// any more: the successor's own value stands for it, and wins or is logged itself.
  ///
  /// A loss of one record by itself is no business of the records that it shares a row with: they may come apart again.
  func takeUp(_ register: RecordFacts.Register, in row: RecordKey? = nil, _ units: inout [LogBook.Unit]) {
    guard !units.isEmpty else { return }
    let kind = kind(in: row)
    units.removeAll { unit in
      unit.kind == kind && unit.field?.ordinal == register.ordinal && unit.lost != register.stamp
        && didReplace(register.stamp, unit.lost, in: row) && !contexts.didSee(register.stamp, unit.winning)
    }
  }

  /// Compares two writes of a field. `row`: the row that their records share, where it is not one record.
  func compare(
    _ register: RecordFacts.Register, with other: RecordFacts.Register, in row: RecordKey? = nil,
    _ units: inout [LogBook.Unit]
  ) {
    guard register.stamp != other.stamp else { return }
    let kind = kind(in: row)
    let (winner, loser) = register.beats(other) ? (register, other) : (other, register)
    pointToWinner(winner, in: row, &units)
    // A write that was here may have taken up, knowing it, what has just been said to have lost to the arrival.
    takeUp(loser, in: row, &units)
    guard !didReplace(winner.stamp, loser.stamp, in: row) else { return }
    // An equal value is no loss yet. It is one of its own record's log, so that a later write finds it there.
    guard row == nil || !settlement.isSame(register.value, other.value) else { return }
    let field = Conflict.Field(ordinal: loser.ordinal, lost: loser.value, winning: winner.value)
    let unit = LogBook.Unit(
      kind: kind, lost: loser.stamp, winning: winner.stamp, field: field, loggedAtMilliseconds: nowMilliseconds)
    let isTakenUp = units.contains { other in
      other.kind == kind && other.field?.ordinal == field.ordinal && other.lost != unit.lost
        && didReplace(other.lost, unit.lost, in: row) && !contexts.didSee(other.lost, unit.winning)
    }
    guard !isTakenUp, !units.contains(where: { $0.kind == kind && $0.isSameLoss(as: unit) }) else { return }
    units.append(unit)
  }

  /// Values that lost to an earlier write have lost to this one, if its author did not know them. So have those that
  /// the earlier write repeated.
  private func pointToWinner(_ winner: RecordFacts.Register, in row: RecordKey?, _ units: inout [LogBook.Unit]) {
    let kind = kind(in: row)
    var index = units.startIndex
    while index < units.endIndex {
      let unit = units[index]
      guard unit.kind == kind, unit.field?.ordinal == winner.ordinal, unit.winning < winner.stamp,
        unit.lost != winner.stamp, !didReplace(winner.stamp, unit.lost, in: row)
      else {
        index += 1
        continue
      }
      // The value is back, by another hand; of joined records each one's writes tell it again when another value comes.
      if row != nil, let field = unit.field, settlement.isSame(field.lost, winner.value) {
        units.remove(at: index)
        continue
      }
      units[index].field?.winning = winner.value
      units[index].winning = winner.stamp
      index += 1
    }
  }
}
