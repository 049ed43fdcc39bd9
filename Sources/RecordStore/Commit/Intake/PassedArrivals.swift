import LMDB

/// The part of a merge that ``ArrivalIntake`` has taken.
final class PassedArrivals: PassedRecords {
  private let intake: ArrivalIntake
  private let layout: StoreLayout
  private let view: TransactionView
  private(set) var returned: Set<RecordKey> = []
  /// Whether the rows are written: from then on a record is found in its table.
  private var isWritten = false
  /// The asked records, together with those that were given back.
  private(set) var weighed: AskedArrivals

  init(_ intake: ArrivalIntake, asked: AskedArrivals, _ layout: StoreLayout, _ view: TransactionView) {
    self.intake = intake
    weighed = asked
    self.layout = layout
    self.view = view
  }

  func shows(_ key: RecordKey) -> Bool {
    intake.batch.inserts(key) && !returned.contains(key)
  }

  /// A merge is divided by what was written: its deletes are asked.
  func hides(_ key: RecordKey) -> Bool { false }

  func giveBack(_ key: RecordKey) throws -> ReturnedChange? {
    guard !isWritten, !returned.contains(key), let arrivals = try intake.taken(key),
      let lane = intake.batch.lanes[key.entity]
    else { return nil }
    returned.insert(key)
    let isNew = lane.inserts(key.id)
    let stored = try isNew ? nil : key.id.withRawBytes { id throws in try view.get(lane.records, key: id) }
    let before = try stored.map { try RecordFacts(decoding: $0, id: key.id, entity: lane.rules.entity) }
    weighed.add(arrivals, before: before, dependsOnOthers: lane.rules.dependsOnOthers)
    return ReturnedChange(
      content: .facts(arrivals.map(\.facts)), newRecord: isNew ? key : nil, entered: try intake.written(key))
  }

  /// Writes the rows of all that was not given back; nothing is from then on.
  func writeRows(in transaction: borrowing WriteTransaction) throws {
    isWritten = true
    try intake.writeRows(except: returned, in: transaction)
  }

  /// The changes for readers without the rules, in key order.
  var changes: [HistoryChange] {
    returned.isEmpty ? intake.changes : intake.changes.filter { !returned.contains($0.key) }
  }

  /// The records that were not given back and that the log must know.
  var met: [MetRecord] {
    returned.isEmpty ? intake.met : intake.met.filter { !returned.contains($0.before.key) }
  }

  var takenCount: Int { intake.takenCount - returned.count }
}
