import RecordStore

/// The conflict log's word on one record while a merge works on it.
struct RecordLosses: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    let key: [UInt8]
    let value: [UInt8]
  }

  var units: [LogBook.Unit] = []
  /// As the store has them.
  private var stored: [Entry] = []

  init() {}

  /// Reads the log's entries of a record.
  init(of record: RecordKey, in snapshot: borrowing StoreSnapshot) throws {
    var losses = RecordLosses()
    try snapshot.forEachAttachment(prefix: Conflict.prefix(entity: record.entity, record: record.id)) { key, value in
      losses.read(try Conflict(key: key, value: value), key: key, value: value)
      return true
    }
    self = losses
  }

  /// Enters what the store's log says.
  mutating func read(_ entry: Conflict, key: [UInt8], value: [UInt8]) {
    stored.append(Entry(key: key, value: value))
    let unit = LogBook.Unit(
      kind: entry.kind, lost: entry.lostStamp, winning: entry.winningStamp,
      loggedAtMilliseconds: entry.loggedAtMilliseconds)
    units += entry.fields.isEmpty ? [unit] : entry.fields.map { unit.with($0) }
  }

  /// Adds the attachments that let the store's log say the same.
  ///
  /// - Returns: How many losses are new.
  func addChanges(of record: RecordKey, to changes: inout [StoreAttachment]) -> Int {
    var gone = stored
    var newCount = 0
    for entry in RecordLosses.entries(of: record, units) {
      let (key, value) = (entry.key, entry.encoded)
      if let place = gone.firstIndex(where: { $0.key == key }) {
        if gone.remove(at: place).value == value { continue }
      } else if entry.isLoss {
        newCount += 1
      }
      changes.append(StoreAttachment(key: key, value: value))
    }
    for entry in gone { changes.append(StoreAttachment(key: entry.key, value: nil)) }
    return newCount
  }

  private struct Group: Hashable {
    var kind: Conflict.Kind
    var lost: Stamp
    var winning: Stamp

    init(_ unit: LogBook.Unit) { (kind, lost, winning) = (unit.kind, unit.lost, unit.winning) }
  }

  /// One entry for each pair of transactions, in the order of their keys.
  private static func entries(of record: RecordKey, _ units: [LogBook.Unit]) -> [Conflict] {
    guard let first = units.first.map(Group.init) else { return [] }
    if units.allSatisfy({ Group($0) == first }) { return [entry(of: record, first, units)] }
    let groups = Dictionary(grouping: units, by: Group.init)
    return groups.map { entry(of: record, $0, $1) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  private static func entry(of record: RecordKey, _ group: Group, _ units: [LogBook.Unit]) -> Conflict {
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
}
