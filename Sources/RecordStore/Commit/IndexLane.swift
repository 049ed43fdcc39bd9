import LMDB

/// The index entries of one entity that a short way of a save or of a merge has collected.
protocol IndexLane: AnyObject {
  var rules: EntityRules { get }
  /// By position among the entity's indexes.
  var indexes: [IndexChanges] { get set }
}

extension Sequence where Element: IndexLane {
  /// Enters the unique values, first of all: a taken one is found by the write itself. False, with all indexes as they
  /// were, if one is taken.
  func enterUniqueValues(in transaction: borrowing WriteTransaction) throws -> Bool {
    var entered: [(lane: Element, position: Int)] = []
    for lane in self {
      for position in lane.rules.uniquePositions {
        if try lane.indexes[position].addUnlessTaken(to: transaction) {
          entered.append((lane, position))
          continue
        }
        for (lane, position) in entered { try lane.indexes[position].takeBack(from: transaction) }
        return false
      }
    }
    return true
  }

  /// Enters the unique values that are free. Returns the records of which one is not.
  func enterFreeValues(in transaction: borrowing WriteTransaction) throws -> Set<RecordKey> {
    var losers: Set<RecordKey> = []
    for lane in self {
      for position in lane.rules.uniquePositions {
        for id in try lane.indexes[position].addFree(to: transaction) {
          losers.insert(RecordKey(entity: lane.rules.entity.number, id: id))
        }
      }
    }
    return losers
  }

  func writeOtherIndexes(in transaction: borrowing WriteTransaction) throws {
    for lane in self {
      for position in lane.indexes.indices where !lane.rules.uniquePositions.contains(position) {
        try lane.indexes[position].write(to: transaction)
      }
    }
  }
}
