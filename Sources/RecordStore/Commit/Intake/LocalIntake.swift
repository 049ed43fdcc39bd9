import LMDB

/// Takes in a local save, and judges each change: those at which no rule looks are taken: a new record whose
/// unique values are free and whose targets are visible; new values of attributes that no rule concerns; and a delete
/// with which other records go only by references that they cannot be without (``LeavingRecords``). The rest is
/// *asked*: ``CommitSession`` carries it out beside what was taken (``PassedChanges``).
///
/// The result is the same however a save is divided; `PlainSaveTests` compares them.
///
/// Cost of a new record, beside its bytes (see ``RecordDrafts``): no value per field, and what ``ChangeBatch`` says.
/// Its part of history is copied from the same bytes, in a large save by another thread. A rewritten one costs one
/// look-up in key order and a copy of the row; index keys only where a field is theirs.
///
/// Not copied, and made where it stays: a small save would count more references than it moves bytes.
struct LocalIntake: ~Copyable {
  /// New and rewritten records, once all are taken in.
  private(set) var batch: ChangeBatch
  private(set) var leaving: LeavingRecords
  /// Places in the request of the changes that were not taken, rising.
  private(set) var asked: [Int] = []
  /// The records of the request's changes and edits.
  private var changed = RecordDrafts()
  private let drafts: RecordDrafts
  /// Whether rules look at everything, also at what is no change of a record.
  private var asksAll = false
  let stamp: Stamp
  /// The changes for readers by inserts and updates, in the order of the request.
  private(set) var written: [HistoryChange] = []
  /// Records that the request deletes or links, whatever else it does to them: rules look at them.
  private let named: Set<RecordID>
  /// The word for other devices, encoded by another thread if it is much; there once all has been taken in.
  private var outgoing: SideWork<OutgoingBytes>?
  private let encode: @Sendable (OutgoingRecords) -> OutgoingBytes
  private var rewriter = UpdateRewriter()

  /// From here on another thread pays.
  static let largeByteCount = 1 << 18

  /// `bounds`: by entity, an id behind every one of which anything is known, where that is known. `encode` makes
  /// records what other devices are told of.
  init(
    _ work: LocalWork, _ layout: StoreLayout, _ view: TransactionView, _ gate: RuleGate, _ stamp: Stamp,
    bounds: [RecordID?], encode: @escaping @Sendable (OutgoingRecords) -> OutgoingBytes
  ) {
    batch = ChangeBatch(layout, view, gate, bounds: bounds)
    leaving = LeavingRecords(layout, view, gate, stamp)
    drafts = work.drafts
    self.stamp = stamp
    self.encode = encode
    named = work.namedRecords
  }

  /// Judges all changes of the work that this was made for. Writes nothing.
  ///
  /// - Parameter asksAlways: Whether rules look at each of them.
  mutating func judge(_ work: LocalWork, asksAlways: Bool) throws {
    guard !asksAlways else {
      askAll(of: work)
      return
    }
    try take(work.changes)
    try take(work.edits, after: work.changes.count)
    guard try takeDrafts(after: work.changes.count + work.edits.entries.count), batch.sortRows() else {
      askAll(of: work)
      return
    }
    try takeDeletes(of: work)
    try batch.refuse()
    for case let lane? in batch.lanes { lane.endReading() }
  }

  private mutating func askAll(of work: LocalWork) {
    batch = ChangeBatch(batch.layout, batch.view, batch.gate, bounds: batch.knownBounds)
    changed = RecordDrafts()
    written = []
    asksAll = true
    asked = Array(0..<work.changeCount)
  }

  /// Writes the index entries of new and rewritten records.
  mutating func enter(in transaction: borrowing WriteTransaction) throws {
    let records = outgoingRecords
    let isLarge = records.byteCount >= Self.largeByteCount
    // History first: it takes longest, and is written before the rows.
    if HistoryAndStamps.areKept, isLarge, isWhole, leaving.isEmpty {
      outgoing = SideWork { [encode] in encode(records) }
    }
    try batch.enter(keeping: [changed, drafts], isLarge: isLarge, in: transaction)
    if isWhole {
      for case let lane? in batch.lanes { lane.keepRowsAlone() }
    }
  }

  /// Writes rows, and takes out what goes.
  ///
  /// - Parameters:
  ///   - returned: Records that the session writes instead.
  ///   - roots: Places in the request of deletes that the session carries out instead.
  mutating func writeRows(
    except returned: Set<RecordKey> = [], roots: Set<Int> = [], in transaction: borrowing WriteTransaction
  ) throws {
    try batch.writeRows(stamp: stamp, except: returned, in: transaction)
    try leaving.write(except: roots, to: transaction)
  }

  /// Whether all of the request was taken.
  var isWhole: Bool { !asksAll && asked.isEmpty && batch.refused.isEmpty }

  /// Whether none of it was.
  var isEmpty: Bool { batch.isEmpty && leaving.isEmpty }

  /// The keepers of records' bytes: those of the request's changes and edits, its drafts, and those that are deleted.
  var parts: [RecordDrafts] { [changed, drafts, leaving.records] }

  /// The bytes of ``outgoing``, if its encoding was begun. May be called only once.
  func encodedBeside() -> OutgoingBytes? { outgoing?.value() }

  /// New and rewritten records, in the order of the request, if all were taken.
  var outgoingRecords: OutgoingRecords { OutgoingRecords([changed, drafts]) }
}

// Inserts.
extension LocalIntake {
  private mutating func take(_ changes: [RecordChange]) throws {
    for (place, change) in changes.enumerated() where try !take(change) { asked.append(place) }
  }

  private mutating func take(_ change: RecordChange) throws -> Bool {
    switch change {
    case .insert(let entity, let id, let fields):
      guard let lane = batch.lane(of: entity), try isNew(id, lane), changed.append(id, lane.rules.draft, fields),
        let entry = changed.entries.last
      else { return false }
      note(entry, lane)
      lane.rows.append(entry)
      return true
    case .update(let entity, let id, let fields):
      guard let lane = batch.lane(of: entity) else { return false }
      return try update(id, lane, fields[...])
    // Looked at once all others are known.
    case .delete: return true
    case .link: return false
    }
  }

  private mutating func take(_ edits: RecordEdits, after start: Int) throws {
    written.reserveCapacity(written.count + edits.entries.count)
    var lane: ChangeBatch.Lane?
    for index in edits.entries.indices {
      let entry = edits.entries[index]
      if lane?.entity != entry.entity {
        lane = batch.lane(of: entry.entity)
        if let lane, edits.entries.count > 8 { lane.reserve(edits.entries.count) }
      }
      guard let lane, try update(entry.id, lane, edits.writes(of: index)) else {
        asked.append(start + index)
        continue
      }
    }
  }

  /// False if drafts were made for another schema.
  private mutating func takeDrafts(after start: Int) throws -> Bool {
    for (entity, draft) in drafts.layouts {
      guard let lane = batch.lane(of: entity), lane.rules.draft == draft else { return false }
    }
    written.reserveCapacity(written.count + drafts.count)
    let askedBefore = asked.count
    var lane: ChangeBatch.Lane?
    for (index, entry) in drafts.entries.enumerated() {
      if lane?.entity != EntityNumber(entry.entity) { lane = batch.lane(of: EntityNumber(entry.entity)) }
      if let lane, try isNew(entry.id, lane) { note(entry, lane) } else { asked.append(start + index) }
    }
    // Rows of one entity, as mostly, are its rows as they are: as long as nobody sorts them, they are there once.
    if let lane, drafts.layouts.count == 1, lane.rows.isEmpty, asked.count == askedBefore {
      lane.rows = drafts.entries
    } else {
      var left = asked[askedBefore...]
      for (index, entry) in drafts.entries.enumerated() {
        if left.first == start + index {
          left.removeFirst()
        } else {
          batch.lanes[Int(entry.entity)]?.rows.append(entry)
        }
      }
    }
    return true
  }

  /// Whether a record can be new. Its unique values are looked at when they are entered.
  private func isNew(_ id: RecordID, _ lane: ChangeBatch.Lane) throws -> Bool {
    try lane.allowsInserts && !isNamed(id) && batch.isUnknown(id, lane)
  }

  private func isNamed(_ id: RecordID) -> Bool { !named.isEmpty && named.contains(id) }

  private mutating func note(_ entry: RecordDrafts.Entry, _ lane: ChangeBatch.Lane) {
    written.append(HistoryChange(kind: .insert, entity: lane.entity, id: entry.id))
    lane.hasInserts = true
  }
}

// Updates and deletes.
extension LocalIntake {
  /// Rewrites a visible record, unless the values are those that it has.
  private mutating func update(
    _ id: RecordID, _ lane: ChangeBatch.Lane, _ fields: ArraySlice<FieldWrite>
  ) throws -> Bool {
    guard lane.allowsUpdates, !isNamed(id), try batch.gate.isOnItsOwn(RecordKey(entity: lane.entity, id: id)),
      lane.rules.takesPlainly(fields), let row = try lane.row(id, batch.view)
    else { return false }
    switch rewriter.update(row, id, lane.rules, fields, stamp: stamp, into: &changed) {
    case .unusual: return false
    case .unchanged: lane.updatedIDs.append(id)
    case .rewritten(let writes):
      guard let entry = changed.entries.last else { preconditionFailure("a rewritten record is among the drafts") }
      lane.updatedIDs.append(id)
      batch.collectKeys(from: RecordView(row), to: entry, lane, changing: writes.lazy.map(\.ordinal))
      lane.rows.append(entry)
      guard rewriter.isSeen else { break }
      written.append(HistoryChange(kind: .update, entity: lane.entity, id: id, fields: rewriter.changedFields))
    }
    return true
  }

  /// Takes the deletes that concern no record that the request changes otherwise, or that its other changes name.
  private mutating func takeDeletes(of work: LocalWork) throws {
    let deletes = work.changes.enumerated().compactMap { place, change in
      if case .delete(let entity, let id) = change {
        LeavingRecords.Root(place: place, key: RecordKey(entity: entity, id: id))
      } else {
        nil
      }
    }
    guard !deletes.isEmpty else { return }
    let refused =
      deletes.count == work.changeCount
      ? try leaving.take(deletes)
      : try leaving.take(deletes, beside: work.otherRecords, naming: work.targets(batch.layout.rules))
    guard !refused.isEmpty else { return }
    asked = (asked + refused).sorted()
  }
}
