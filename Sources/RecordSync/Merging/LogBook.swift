import RecordStore

/// The conflict log while a merge works on it: one unit for each lost value, so that each can go its own way.
///
/// Where writes of a field did not know each other, the latest wins and every other one is in the log once, as
/// lost to it, unless an author that did not know the winner wrote on from it. The log depends on the writes alone,
/// so devices that learn of them in another order end with the same entries. One exception: an entry stays when a later
/// write arrives whose author knew both sides; where that write came first there never was one.
///
/// A write that the latest repeats is in the log, too, and readers do not see it there (``Conflict/isLoss``): the next
/// write may change the value without knowing it, and by then the record tells only of the one that repeated it.
struct LogBook: Hashable, Sendable {
  struct Unit: Hashable, Sendable {
    var kind: Conflict.Kind
    var lost: Stamp
    var winning: Stamp
    /// Nil for a delete that lost.
    var field: Conflict.Field?
    var loggedAtMilliseconds: UInt64
  }

  private var records: [RecordKey: RecordLosses] = [:]
  let nowMilliseconds: UInt64

  init(nowMilliseconds: UInt64) { self.nowMilliseconds = nowMilliseconds }

  /// Enters what the store's log says.
  mutating func read(_ entries: [Conflict]) {
    for entry in entries {
      records[RecordKey(entity: entry.entity, id: entry.record), default: RecordLosses()]
        .read(entry, key: entry.key, value: entry.encoded)
    }
  }

  /// Enters what the store's log says of one record.
  mutating func read(_ record: RecordKey, in snapshot: borrowing StoreSnapshot) throws {
    records[record] = try RecordLosses(of: record, in: snapshot)
  }

  func units(of record: RecordKey) -> [Unit] { records[record]?.units ?? [] }

  /// Lends the stamps of all losses and of what they lost to.
  func forEachStamp(_ body: (Stamp) -> Void) {
    for unit in records.values.lazy.flatMap(\.units) {
      body(unit.lost)
      body(unit.winning)
    }
  }

  /// Puts the units of one record in place of those it had.
  mutating func replace(_ new: [Unit], of record: RecordKey) {
    if !new.isEmpty || records[record] != nil { records[record, default: RecordLosses()].units = new }
  }

  /// The log's entries of records that share a row go where the row goes; a loss of one record by itself
  /// stays with the record.
  mutating func move(from gone: RecordKey, to kept: RecordKey) {
    guard gone != kept, let all = records[gone]?.units else { return }
    records[gone]?.units = all.filter { $0.kind == .editLost }
    for unit in all where unit.kind == .aliasJoined && !units(of: kept).contains(where: { $0.isSameLoss(as: unit) }) {
      records[kept, default: RecordLosses()].units.append(unit)
    }
  }

  /// A loss of one record by itself is not said of its row as well.
  mutating func keepOnce(_ row: RecordKey, members: [RecordKey]) {
    guard units(of: row).contains(where: { $0.kind == .aliasJoined }) else { return }
    let own = members.flatMap { units(of: $0) }.filter { $0.kind == .editLost }
    records[row]?.units.removeAll { unit in
      unit.kind == .aliasJoined && own.contains { $0.isSameLoss(as: unit) && $0.field?.lost == unit.field?.lost }
    }
  }

  /// Records of a row are apart again: none has lost a value to another.
  mutating func part(_ row: RecordKey) {
    records[row]?.units.removeAll { $0.kind == .aliasJoined }
  }

  /// The attachments that let the store's log say the same, and how many entries are new. By record, so that the
  /// entries of a large merge are written in the order of their keys.
  var changes: (attachments: [StoreAttachment], newCount: Int) {
    var attachments: [StoreAttachment] = []
    let newCount = records.sorted { $0.key < $1.key }.reduce(0) { count, record in
      count + record.value.addChanges(of: record.key, to: &attachments)
    }
    return (attachments, newCount)
  }
}

extension LogBook.Unit {
  /// Whether two units tell of the same lost write.
  func isSameLoss(as other: LogBook.Unit) -> Bool {
    lost == other.lost && field?.ordinal == other.field?.ordinal && isDerived == other.isDerived
  }

  /// Whether the facts of the moment say what was lost, so that the unit goes when they no longer do. Of values that
  /// lost to other values, and of void deletes, the log alone knows.
  var isDerived: Bool {
    switch kind {
    case .editLost, .aliasJoined: false
    // A void delete is in no facts.
    case .deletionOverridden: winning != .zero
    case .editLostToDelete, .referenceLost, .moveVoided: true
    }
  }
}
