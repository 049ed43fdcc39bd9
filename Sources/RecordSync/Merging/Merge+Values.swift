import RecordStore

// Values that lose against values.
extension Merge {
  /// Compares what arrives of each record with what was known of it, and joins it.
  mutating func compareValues() {
    let comparison = comparison
    for transaction in transactions {
      for facts in transaction.records {
        guard var known = known[facts.key] else {
          known[facts.key] = facts
          continue
        }
        var units = log.units(of: facts.key)
        comparison.compare(facts, with: known, &units)
        log.replace(units, of: facts.key)
        known.join(facts)
        self.known[facts.key] = known
      }
    }
  }

  /// Compares what the records of a row say for themselves: of each field the row shows the latest write.
  mutating func compareJoined() {
    let comparison = comparison
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
          comparison.takeUp(register, in: row, &units)
          guard let winner = shown.register(at: register.ordinal),
            isNew || arriving.contains(register.stamp) || arriving.contains(winner.stamp)
          else { continue }
          // A value that a delete took from a record was not lost to another.
          guard member.life ?? .zero > member.deleted ?? .zero else { continue }
          comparison.compare(register, with: winner, in: row, &units)
        }
      }
      log.replace(units, of: row)
      log.keepOnce(row, members: change.members.map(\.key))
    }
  }

  private var comparison: ValueComparison {
    ValueComparison(contexts: contexts, settlement: settlement, nowMilliseconds: log.nowMilliseconds)
  }
}
