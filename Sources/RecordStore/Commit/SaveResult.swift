/// The outcome of a commit.
public struct SaveResult: Hashable, Sendable {
  /// The number in this store's history; 0 if there was nothing to do.
  public var number: UInt64
  /// The transaction's name on all devices.
  public var dot: Dot
  /// The transaction's time by the hybrid clock.
  public var stamp: Stamp
  /// Ids that an insert asked for, and the ids of the existing records that took its values, or of the records that a
  /// once transaction made.
  public var remapped: [RecordID: RecordID]
  /// Everything that changed for readers, effects such as cascades and aliases included.
  public var changes: [HistoryChange]
  /// Records that share a row, where a merge changed which do, or what one of them says.
  package var classes: [RecordClass] = []
  /// How many records were written without a look at their rules.
  package var takenCount = 0
  /// Whether no rule looked at anything (``RuleGate``). Then inserts and updates
  /// did what was asked and nothing else.
  package var isPlain = false
  /// Records of a merge at which no rule looked, and of which the caller must judge whose writes were lost.
  package var met: [MetRecord] = []
  /// Records of a merge at which rules looked.
  package var asked = AskedArrivals()
  /// Whether a request with a once key ran. After `alreadyDone` the store is unchanged and ``number`` is 0.
  public var once: OnceOutcome?

  /// Creates a result from its parts.
  public init(
    number: UInt64, dot: Dot, stamp: Stamp, remapped: [RecordID: RecordID] = [:], changes: [HistoryChange] = [],
    once: OnceOutcome? = nil
  ) {
    self.number = number
    self.dot = dot
    self.stamp = stamp
    self.remapped = remapped
    self.changes = changes
    self.once = once
  }

  /// The same with the values that lie beside the store in the place of their references, as far as history tells of
  /// them. What is said of records for merges keeps the references.
  func resolved() -> SaveResult {
    var resolved = self
    for index in changes.indices where !changes[index].preserved.isEmpty {
      resolved.changes[index].preserved = changes[index].preserved.map { $0.resolved() }
    }
    return resolved
  }
}

/// Records that one row shows since a merge, because they held one unique value, or that it shows no longer.
package struct RecordClass: Hashable, Sendable {
  /// The records' entity.
  package var entity: EntityNumber
  /// The id of the row: the smallest of its members'.
  package var row: RecordID
  /// Each as its own writes tell it, in order of their ids; one where a record is on its own again.
  package var members: [RecordFacts]
  /// The rows that showed the members before.
  package var previousRows: [RecordID]
  /// Whether a row that showed one of the members also showed a record that is not among them any more.
  package var isParted: Bool

  /// Creates a class from its parts.
  package init(
    entity: EntityNumber, row: RecordID, members: [RecordFacts], previousRows: [RecordID], isParted: Bool = false
  ) {
    self.entity = entity
    self.row = row
    self.members = members
    self.previousRows = previousRows
    self.isParted = isParted
  }
}
