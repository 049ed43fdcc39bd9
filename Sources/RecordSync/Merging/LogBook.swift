import RecordStore

/// The conflict log while a merge works on it: one unit for each lost value, so that each can go its own way.
///
/// Where writes of a field did not know each other, the latest wins and every other one is in the log once, as
/// lost to it, unless an author that did not know the winner wrote on from it. The log depends on the writes alone,
/// so devices that learn of them in another order end with the same entries. One exception: an entry stays when a later
/// write arrives whose author knew both sides; where that write came first there never was one.
struct LogBook: Hashable, Sendable {
  struct Unit: Hashable, Sendable {
    var kind: Conflict.Kind
    var lost: Stamp
    var winning: Stamp
    /// Nil for a delete that lost.
    var field: Conflict.Field?
    var loggedAtMilliseconds: UInt64
  }

  private var units: [RecordKey: [Unit]] = [:]
  /// As the store has them.
  private var stored: [[UInt8]: [UInt8]] = [:]
  let nowMilliseconds: UInt64

  init(nowMilliseconds: UInt64) { self.nowMilliseconds = nowMilliseconds }

  /// Enters what the store's log says of one record.
  mutating func read(_ entries: [Conflict]) {
    for entry in entries {
      stored[entry.key] = entry.encoded
      let unit = Unit(
        kind: entry.kind, lost: entry.lostStamp, winning: entry.winningStamp,
        loggedAtMilliseconds: entry.loggedAtMilliseconds)
      let key = RecordKey(entity: entry.entity, id: entry.record)
      units[key, default: []] += entry.fields.isEmpty ? [unit] : entry.fields.map { unit.with($0) }
    }
  }

  func units(of record: RecordKey) -> [Unit] { units[record] ?? [] }

  /// Lends the stamps of all losses and of what they lost to.
  func forEachStamp(_ body: (Stamp) -> Void) {
    for unit in units.values.joined() {
      body(unit.lost)
      body(unit.winning)
    }
  }

  /// Puts the units of one record in place of those it had.
  mutating func replace(_ new: [Unit], of record: RecordKey) {
    if !new.isEmpty || units[record] != nil { units[record] = new }
  }

  /// The log's entries of records that share a row go where the row goes; a loss of one record by itself
  /// stays with the record.
  mutating func move(from gone: RecordKey, to kept: RecordKey) {
    guard gone != kept, let all = units[gone] else { return }
    units[gone] = all.filter { $0.kind == .editLost }
    for unit in all where unit.kind == .aliasJoined && !units(of: kept).contains(where: { $0.isSameLoss(as: unit) }) {
      units[kept, default: []].append(unit)
    }
  }

  /// A loss of one record by itself is not said of its row as well.
  mutating func keepOnce(_ row: RecordKey, members: [RecordKey]) {
    guard units[row]?.contains(where: { $0.kind == .aliasJoined }) == true else { return }
    let own = members.flatMap { units(of: $0) }.filter { $0.kind == .editLost }
    units[row]?.removeAll { unit in
      unit.kind == .aliasJoined && own.contains { $0.isSameLoss(as: unit) && $0.field?.lost == unit.field?.lost }
    }
  }

  /// Records of a row are apart again: none has lost a value to another.
  mutating func part(_ row: RecordKey) {
    units[row]?.removeAll { $0.kind == .aliasJoined }
  }

  /// The attachments that let the store's log say the same, and how many entries are new. By record, so that the
  /// entries of a large merge are written in the order of their keys.
  var changes: (attachments: [StoreAttachment], newCount: Int) {
    var changed: [StoreAttachment] = []
    var gone = stored
    var newCount = 0
    for record in units.keys.sorted() {
      for entry in LogBook.entries(of: record, units(of: record)) {
        let (key, value) = (entry.key, entry.encoded)
        let known = gone.isEmpty ? nil : gone.removeValue(forKey: key)
        if known == value { continue }
        if known == nil { newCount += 1 }
        changed.append(StoreAttachment(key: key, value: value))
      }
    }
    let removals = gone.keys.sorted { $0.lexicographicallyPrecedes($1) }
    return (changed + removals.map { StoreAttachment(key: $0, value: nil) }, newCount)
  }

  private struct Group: Hashable {
    var kind: Conflict.Kind
    var lost: Stamp
    var winning: Stamp

    init(_ unit: Unit) { (kind, lost, winning) = (unit.kind, unit.lost, unit.winning) }
  }

  /// One entry for each pair of transactions.
  private static func entries(of record: RecordKey, _ units: [Unit]) -> [Conflict] {
    guard let first = units.first.map(Group.init) else { return [] }
    if units.allSatisfy({ Group($0) == first }) { return [entry(of: record, first, units)] }
    let groups = Dictionary(grouping: units, by: Group.init)
    return groups.map { entry(of: record, $0, $1) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  private static func entry(of record: RecordKey, _ group: Group, _ units: [Unit]) -> Conflict {
    Conflict(
      kind: group.kind, entity: record.entity, record: record.id, lostStamp: group.lost, winningStamp: group.winning,
      fields: units.compactMap(\.field).sorted { $0.ordinal < $1.ordinal },
      loggedAtMilliseconds: units.map(\.loggedAtMilliseconds).min() ?? 0)
  }
}

extension LogBook.Unit {
  fileprivate func with(_ field: Conflict.Field) -> LogBook.Unit {
    var unit = self
    unit.field = field
    return unit
  }

  /// Whether two units tell of the same lost write.
  func isSameLoss(as other: LogBook.Unit) -> Bool {
    lost == other.lost && field?.ordinal == other.field?.ordinal && isDerived == other.isDerived
  }

  /// Whether the facts of the moment say what was lost, so that the unit goes when they no longer do. Losses of values
  /// that lost to other values the log alone knows.
  var isDerived: Bool {
    switch kind {
    case .editLost, .aliasJoined: false
    case .editLostToDelete, .deletionOverridden, .referenceLost, .moveVoided: true
    }
  }
}
