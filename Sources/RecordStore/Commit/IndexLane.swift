import LMDB

/// The index entries that a commit has collected of one entity, without a look at the rules of its records.
protocol IndexLane: AnyObject {
  var rules: EntityRules { get }
  /// By position among the entity's indexes.
  var indexes: [IndexChanges] { get set }
}

extension Sequence where Element: IndexLane {
  /// Enters the unique values that are free, first of all: a taken one is found by the write itself.
  /// Returns the records of which one is taken.
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
