import RecordStore

/// How the store stands when a merge has settled, as far as the conflict log must know: plain values, read in the
/// commit that merges.
struct Settlement: Hashable, Sendable {
  struct Record: Hashable, Sendable {
    var facts: RecordFacts
    var standing: RecordStanding
    var lostReferences: [RecordStandings.LostReference] = []
    var voidReferences: [RecordStandings.LostReference] = []
    /// The collection that took away what a waiting record cannot be without. It stands for the delete.
    var forgottenBy: Stamp?
  }

  /// Records whose life the merge may have decided.
  var records: [RecordKey: Record] = [:]
  /// How they stood before; those that are not here have changed for readers.
  var standingsBefore: [RecordKey: RecordStanding] = [:]
  /// Records that share a row, or do no longer.
  var classes: [RecordClass] = []
  /// Writes of records that share a row whose authors had seen each other's values, but not that the records are one.
  var strangers: Set<StrangeWrite> = []
  /// Entities whose deletes are final.
  var finalEntities: Set<EntityNumber> = []
  /// Ids that name a record which another id stands for.
  var canonicalIDs: [RecordID: RecordID] = [:]

  init() {}

  /// A write to one of the records that share a row, and the earlier write to another one that its author had seen
  /// without knowing that the two are one.
  struct StrangeWrite: Hashable, Sendable {
    var row: RecordKey
    var write: Stamp
    var seen: Stamp
  }

  /// Equal values, wherever they lie; references are equal when they name one record, by whichever id, and one NaN is
  /// like another.
  func isSame(_ left: FieldValue, _ right: FieldValue) -> Bool {
    left.isSame(as: right) { canonicalIDs[$0] ?? $0 }
  }
}

extension FieldValue {
  /// Whether two values are one for a merge; `canonical` gives the id by which a record is named that others stand for.
  func isSame(as other: FieldValue, _ canonical: (RecordID) throws -> RecordID) rethrows -> Bool {
    switch (self, other) {
    case (.double(let left), .double(let right)) where left.isNaN && right.isNaN: true
    case (.reference(let left), .reference(let right)): try canonical(left) == canonical(right)
    default: isSame(asStored: other)
    }
  }
}

extension RecordClass {
  /// Whether the row shows other records than before.
  var isRegrouped: Bool { isParted || previousRows != [row] }
}

extension Settlement {
  /// Reads what became of the records that `arrivals` name, and of all others whose life they decided.
  init(after result: SaveResult, of arrivals: MergeArrivals, in snapshot: borrowing StoreSnapshot) throws {
    classes = result.classes
    standingsBefore = arrivals.standings
    finalEntities = Set(snapshot.catalogue.entities.filter(\.deleteIsFinal).map(\.number))
    let standings = try RecordStandings(in: snapshot)
    var keys: Set<RecordKey> = []
    for transaction in arrivals.transactions {
      for facts in transaction.records {
        keys.insert(RecordKey(entity: facts.entity, id: try snapshot.canonical(facts.id)))
      }
    }
    for change in classes { keys.insert(RecordKey(entity: change.entity, id: change.row)) }
    // A row that another took in is that one by now, and its losses are told of that one alone.
    for key in result.asked.changed {
      keys.insert(RecordKey(entity: key.entity, id: try snapshot.canonical(key.id)))
    }
    for key in keys {
      try read(key, standings, in: snapshot)
      for rival in try standings.rivals(of: key.id, entity: key.entity) {
        try read(RecordKey(entity: key.entity, id: rival), standings, in: snapshot)
      }
      for above in try standings.container(of: key.id, entity: key.entity) {
        try read(RecordKey(entity: above.entity, id: above.id), standings, in: snapshot)
      }
    }
    for change in classes { try readStrangers(of: change, standings) }
    try readCanonicalIDs(arrivals, in: snapshot)
  }

  private mutating func readStrangers(of change: RecordClass, _ standings: RecordStandings) throws {
    let row = RecordKey(entity: change.entity, id: change.row)
    for (position, member) in change.members.enumerated() {
      for other in change.members[..<position] {
        for register in member.registers {
          guard let met = other.register(at: register.ordinal), met.stamp != register.stamp else { continue }
          let isLater = register.stamp > met.stamp
          let (later, writer) = isLater ? (register.stamp, member.id) : (met.stamp, other.id)
          let (earlier, seen) = isLater ? (met.stamp, other.id) : (register.stamp, member.id)
          if try standings.isStranger(later, in: writer, to: earlier, in: seen, entity: change.entity) {
            strangers.insert(StrangeWrite(row: row, write: later, seen: earlier))
          }
        }
      }
    }
  }

  private mutating func read(
    _ key: RecordKey, _ standings: RecordStandings, in snapshot: borrowing StoreSnapshot
  ) throws {
    guard records[key] == nil, let facts = try snapshot.storedFacts(key.id, of: key.entity) else { return }
    // Nothing can hide a record that was not deleted, needs no other and has no unique value.
    guard facts.deleted != nil || standings.dependsOnOthers(key.entity) || !facts.isInserted else { return }
    guard let standing = try standings.standing(of: key.id, entity: key.entity) else { return }
    let lost = try standings.lostReferences(of: key.id, entity: key.entity)
    let voids = try standings.voidReferences(of: key.id, entity: key.entity)
    var record = Record(facts: facts, standing: standing, lostReferences: lost, voidReferences: voids)
    if standing == .waiting {
      record.forgottenBy = try ForgottenRecords.collection(above: key.id, entity: key.entity, standings, in: snapshot)
    }
    records[key] = record
    switch standing {
    case .alive: return
    case .waiting: guard record.forgottenBy != nil, standings.hasDependents(key.entity) else { return }
    case .dead: guard standings.hasDependents(key.entity) else { return }
    }
    for below in try standings.dependents(of: key.id, entity: key.entity) {
      try read(RecordKey(entity: below.entity, id: below.id), standings, in: snapshot)
    }
  }

  private mutating func readCanonicalIDs(_ arrivals: MergeArrivals, in snapshot: borrowing StoreSnapshot) throws {
    let registers =
      arrivals.transactions.flatMap { $0.records.flatMap(\.registers) }
      + classes.flatMap { $0.members.flatMap(\.registers) }
    for case .reference(let id) in registers.lazy.map(\.value) where canonicalIDs[id] == nil {
      let canonical = try snapshot.canonical(id)
      if canonical != id { canonicalIDs[id] = canonical }
    }
  }
}
