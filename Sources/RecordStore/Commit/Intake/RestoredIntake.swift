import LMDB

/// Takes in what another store knew: of a dump, a salvaged store, a snapshot that is joined.
///
/// It judges each record, part by part. One at which no rule looks goes into its table at once: a new record that was
/// never deleted, whose unique values are free and were never held, and whose targets are visible. The rest is *asked*:
/// ``CommitSession`` settles it when all parts are written, and finds the taken records in their tables. To the rules
/// it makes no difference in which order facts come, so it is as if an earlier call had brought those.
///
/// The questions are those of the rules (``RuleGate``). A taken record costs one encoding and its index keys. In memory
/// are one part, what is asked, and index entries that wait for more (``GatheredEntries``).
struct RestoredIntake {
  /// The records that were taken.
  private(set) var inserted: [RecordKey] = []
  /// The facts at which the rules look.
  private(set) var asked: [RecordFacts] = []
  private(set) var count = 0
  /// The newest stamp of all facts; zero if there are none.
  private(set) var newestStamp = Stamp.zero
  private let layout: StoreLayout
  private let asksAlways: Bool
  /// The entries of indexes that nothing asks while parts are taken.
  private var gathered = GatheredEntries()

  /// `asksAlways`: rules look at each record.
  init(_ layout: StoreLayout, asksAlways: Bool) {
    self.layout = layout
    self.asksAlways = asksAlways
  }

  mutating func take(_ records: [RecordFacts], in transaction: borrowing WriteTransaction) throws {
    count += records.count
    for record in records { newestStamp = max(newestStamp, record.newestStamp ?? .zero) }
    guard !asksAlways else {
      asked += records
      return
    }
    var batch = ChangeBatch(layout, transaction.view, try RuleGate(layout, transaction.view, isMerge: true))
    var drafts = RecordDrafts()
    for record in records {
      guard let lane = batch.lane(of: record.entity), lane.allowsInserts, isPlain(record, lane.rules.draft),
        try batch.isUnknown(record.id, lane)
      else {
        asked.append(record)
        continue
      }
      let encoding = try RecordEncoding(record, fieldCount: lane.rules.entity.fields.count)
      drafts.add(record.id, record.entity, encoding.byteCount, isNew: true) { encoding.write(into: $0) }
      if let entry = drafts.entries.last { lane.rows.append(entry) }
      lane.hasInserts = true
    }
    guard batch.sortRows() else {
      // An id that is there twice.
      let taken = Set(drafts.entries.map { RecordKey(entity: EntityNumber($0.entity), id: $0.id) })
      return asked += records.filter { taken.contains($0.key) }
    }
    let refused = try batch.leaveOutRefused()
    if !refused.isEmpty { asked += records.filter { refused.contains($0.key) } }
    for case let lane? in batch.lanes {
      inserted += lane.rows.map { RecordKey(entity: lane.entity, id: $0.id) }
    }
    let isLarge = records.count >= Self.largeCount
    try batch.enter(keeping: [drafts], isLarge: isLarge, gathering: &gathered, in: transaction)
    if gathered.areEnough { try gathered.write(to: transaction) }
    guard batch.refused.isEmpty else { preconditionFailure("taken unique values were looked for before") }
    try batch.writeRows(stamp: .zero, in: transaction)
  }

  /// Writes the index entries that are left. Rules must not look before.
  mutating func endTaking(in transaction: borrowing WriteTransaction) throws { try gathered.write(to: transaction) }

  /// From so many records on, other threads collect index keys.
  private static let largeCount = 1_000

  /// Whether a record is alive, and the catalogue takes its values as they are.
  private func isPlain(_ record: RecordFacts, _ layout: DraftLayout) -> Bool {
    guard record.isInserted, record.touch != nil, record.deleted == nil, record.onceInserts.isEmpty else {
      return false
    }
    var last = -1
    for register in record.registers {
      let ordinal = register.ordinal
      guard ordinal > last, ordinal < layout.fieldCount, !register.isOnce else { return false }
      last = ordinal
      if let type = register.value.type {
        guard type == layout.types[ordinal] else { return false }
      } else if layout.isDeclared[ordinal], !layout.isOptional[ordinal] {
        // Another device may have allowed it; here the default stands for it.
        return false
      }
    }
    return true
  }
}

// The changes that readers are told.
extension RestoredIntake {
  /// The changes for readers, in key order: what was taken, and what the rules have made of all.
  func changes(with settled: [HistoryChange]) -> [HistoryChange] {
    guard !inserted.isEmpty else { return settled }
    let taken = Set(settled.isEmpty ? [] : inserted)
    let kinds = Dictionary(settled.map { ($0.key, $0.kind) }, uniquingKeysWith: { first, _ in first })
    var changes: [HistoryChange] = []
    // Each copy of a million records would be seen in what the process takes of memory.
    changes.reserveCapacity(inserted.count + settled.count)
    // To readers a record that went again within the commit was never there.
    for key in inserted where kinds[key] != .delete {
      changes.append(HistoryChange(kind: .insert, entity: key.entity, id: key.id))
    }
    for change in settled where !taken.contains(change.key) { changes.append(change) }
    let isInOrder = changes.indices.dropFirst().allSatisfy { changes[$0 - 1].key < changes[$0].key }
    if !isInOrder { changes.sort { $0.key < $1.key } }
    return changes
  }
}
