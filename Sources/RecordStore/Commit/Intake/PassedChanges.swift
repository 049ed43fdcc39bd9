import LMDB

/// The changes of a local save that ``LocalIntake`` has taken. One that is given back takes effect in its place among
/// the changes of the request.
final class PassedChanges: PassedRecords {
  /// A change that was taken.
  private struct Taken {
    let place: Int
    let key: RecordKey
    /// The part and the place there of what it wrote; nil for a change that has no effect.
    let entry: (part: Int, index: Int)?

    var isDelete: Bool { entry?.part == PassedChanges.leavingPart }
  }

  /// One commit uses it, and lends no part of it while it calls: access is not checked at run time.
  @exclusivity(unchecked) private var intake: LocalIntake
  /// There once all was entered.
  @exclusivity(unchecked) private var parts: [RecordDrafts] = []
  private let changes: [RecordChange]
  private let edits: RecordEdits
  @exclusivity(unchecked) private var taken: [RecordKey: Taken] = [:]
  private var knowsAll = false
  @exclusivity(unchecked) private var returned: Set<RecordKey> = []
  /// The places of deletes that were given back.
  @exclusivity(unchecked) private var returnedRoots: Set<Int> = []
  /// The place of the delete with which each record goes; made when first asked for.
  private var leavingPlaces: [RecordKey: Int]?
  /// Whether the rows are written: from then on a record is found in its table.
  @exclusivity(unchecked) private var isWritten = false
  /// The records that were given back before the session said what other devices must know.
  @exclusivity(unchecked) private var saidReturned: (records: Set<RecordKey>, roots: Set<Int>)?
  private static let draftsPart = 1
  private static let leavingPart = 2

  /// `bounds`: by entity, an id behind every one of which anything is known, where that is known. `encode` makes
  /// records what other devices are told of.
  init(
    _ work: LocalWork, _ layout: StoreLayout, _ view: TransactionView, _ gate: RuleGate, _ stamp: Stamp,
    bounds: [RecordID?], encode: @escaping @Sendable (OutgoingRecords) -> OutgoingBytes
  ) {
    intake = LocalIntake(work, layout, view, gate, stamp, bounds: bounds, encode: encode)
    (changes, edits) = (work.changes, work.edits)
  }

  /// Judges all changes of the work that this was made for. Writes nothing.
  ///
  /// - Parameter asksAlways: Whether rules look at each of them.
  func judge(_ work: LocalWork, asksAlways: Bool) throws { try intake.judge(work, asksAlways: asksAlways) }

  /// Writes the index entries of new and rewritten records.
  func enter(in transaction: borrowing WriteTransaction) throws {
    try intake.enter(in: transaction)
    parts = intake.parts
    let refused = intake.batch.refused
    guard !refused.isEmpty else { return }
    forEachTaken { if refused.contains($0.key) { taken[$0.key] = $0 } }
  }

  /// Whether nothing was taken.
  var isEmpty: Bool { intake.isEmpty }

  /// Whether all was.
  var isWhole: Bool { intake.isWhole }

  /// By entity, an id behind every one of which anything is known once all is written; nil if records go.
  var bounds: [RecordID?]? { intake.leaving.isEmpty ? intake.batch.bounds : nil }

  /// At how many records the rules look from the beginning.
  var askedCount: Int { intake.asked.count + intake.batch.refused.count }

  var side: SideTableFacts { intake.batch.gate.side }

  /// The changes at which the rules look from the beginning, in the order of the request.
  func asked() throws -> [ReturnedChange] {
    let refused = try intake.batch.refused.map { key in
      guard let found = try giveBack(key) else { preconditionFailure("a refused record was taken") }
      return found
    }
    let asked = intake.asked.map {
      ReturnedChange(place: $0, content: .change(change(at: $0)), newRecord: nil, entered: nil)
    }
    return refused.isEmpty ? asked : (refused + asked).sorted { $0.place < $1.place }
  }

  func shows(_ key: RecordKey) -> Bool { intake.batch.inserts(key) && !returned.contains(key) }

  func hides(_ key: RecordKey) -> Bool { root(of: key) != nil }

  private func root(of key: RecordKey) -> Int? {
    guard !isWritten, intake.leaving.mayTake(key) else { return nil }
    if leavingPlaces == nil {
      let keys = intake.leaving.records.entries.lazy.map { RecordKey(entity: EntityNumber($0.entity), id: $0.id) }
      leavingPlaces = Dictionary(zip(keys, intake.leaving.rootPlaces), uniquingKeysWith: { first, _ in first })
    }
    guard let place = leavingPlaces?[key], !returnedRoots.contains(place) else { return nil }
    return place
  }

  func giveBack(_ key: RecordKey) throws -> ReturnedChange? {
    if let place = root(of: key) {
      returnedRoots.insert(place)
      return ReturnedChange(place: place, content: .change(change(at: place)), newRecord: nil, entered: nil)
    }
    guard !isWritten, !returned.contains(key), intake.batch.lanes.indices.contains(key.entity),
      let lane = intake.batch.lanes[key.entity], lane.updates(key.id) || lane.inserts(key.id)
    else { return nil }
    if taken[key] == nil, !knowsAll {
      knowsAll = true
      forEachTaken { if !$0.isDelete { taken[$0.key] = $0 } }
    }
    guard let found = taken[key] else { preconditionFailure("each row that was taken comes from a change") }
    returned.insert(key)
    return ReturnedChange(
      place: found.place, content: .change(change(at: found.place)), newRecord: lane.inserts(key.id) ? key : nil,
      entered: try found.entry.map(facts))
  }

  /// From now on the session says nothing of records that it is given back.
  func endSaying() { saidReturned = (returned, returnedRoots) }
}

// The request.
extension PassedChanges {
  private func change(at place: Int) -> RecordChange {
    if place < changes.count { return changes[place] }
    let edit = place - changes.count
    if edit < edits.entries.count { return edits.change(at: edit) }
    return parts[Self.draftsPart].change(at: edit - edits.entries.count)
  }

  /// Lends what was taken, in the order of the request.
  private func forEachTaken(_ body: (Taken) -> Void) {
    var asked = intake.asked[...]
    var next = 0
    var roots = intake.leaving.roots[...]
    let entries = parts[0].entries
    func lend(_ place: Int, _ key: RecordKey, drafted: Int?) {
      if asked.first == place {
        asked.removeFirst()
        return
      }
      if let drafted { return body(Taken(place: place, key: key, entry: (Self.draftsPart, drafted))) }
      let hasEntry = next < entries.count && entries[next].id == key.id && entries[next].entity == key.entity
      body(Taken(place: place, key: key, entry: hasEntry ? (0, next) : nil))
      if hasEntry { next += 1 }
    }
    var place = 0
    for change in changes {
      switch change {
      case .insert(let entity, let id, _), .update(let entity, let id, _):
        lend(place, RecordKey(entity: entity, id: id), drafted: nil)
      case .delete(let entity, let id):
        if asked.first == place {
          asked.removeFirst()
        } else {
          let isRoot = roots.first?.place == place
          let entry = isRoot ? (part: Self.leavingPart, index: roots.startIndex) : nil
          if isRoot { roots.removeFirst() }
          body(Taken(place: place, key: RecordKey(entity: entity, id: id), entry: entry))
        }
      case .link: asked.removeFirst()
      }
      place += 1
    }
    for edit in edits.entries {
      lend(place, RecordKey(entity: edit.entity, id: edit.id), drafted: nil)
      place += 1
    }
    for (index, draft) in parts[Self.draftsPart].entries.enumerated() {
      lend(place, RecordKey(entity: EntityNumber(draft.entity), id: draft.id), drafted: index)
      place += 1
    }
  }

  /// A record as the commit would have written it.
  private func facts(of entry: (part: Int, index: Int)) throws -> RecordFacts {
    let entry = parts[entry.part].entries[entry.index]
    let bytes = RecordDrafts.finished(entry, stamp: intake.stamp)
    let entity = intake.batch.layout.catalogue.entities[EntityNumber(entry.entity)]
    return try bytes.withRawBytes { try RecordFacts(decoding: $0, id: entry.id, entity: entity) }
  }
}

// The outcome.
extension PassedChanges {
  /// How many records were not given back.
  var takenCount: Int {
    let rows = intake.batch.lanes.reduce(0) { sum, lane in
      guard let lane else { return sum }
      return sum + lane.rows.count - returned.count { $0.entity == lane.entity && lane.row($0.id) != nil }
    }
    return rows + intake.leaving.rootPlaces.count { !returnedRoots.contains($0) }
  }

  /// Writes all that was not given back; nothing is from then on.
  func write(in transaction: borrowing WriteTransaction) throws {
    isWritten = true
    try intake.writeRows(except: returned, roots: returnedRoots, in: transaction)
  }

  /// The changes for readers, together with the session's, in the order of the request; what goes along
  /// with deletes comes last.
  func changes(with settled: [Placed<HistoryChange>] = []) -> [HistoryChange] {
    if settled.isEmpty, returned.isEmpty, returnedRoots.isEmpty {
      if intake.leaving.isEmpty { return intake.written }
      if intake.batch.isEmpty { return intake.leaving.changes }
    }
    let leaving = intake.leaving
    var own: [Placed<HistoryChange>] = []
    own.reserveCapacity(intake.written.count + leaving.changes.count)
    var next = 0
    forEachTaken { taken in
      if taken.isDelete, let entry = taken.entry {
        let change = leaving.changes[entry.index]
        if !returnedRoots.contains(taken.place) { own.append(Placed(place: taken.place, value: change)) }
        return
      }
      guard next < intake.written.count, case let change = intake.written[next], change.key == taken.key else { return }
      next += 1
      if !returned.contains(taken.key) { own.append(Placed(place: taken.place, value: change)) }
    }
    for (change, place) in zip(leaving.changes, leaving.rootPlaces).dropFirst(leaving.roots.count)
    where !returnedRoots.contains(place) {
      own.append(Placed(place: .max, value: change))
    }
    return Placed.merged(own, Placed.inOrder(settled)).map(\.value)
  }

  /// The word for other devices, together with the session's, in the order of the request.
  func outgoing(with settled: [Placed<RecordFacts>] = []) -> OutgoingRecords {
    let (returned, returnedRoots) = saidReturned ?? (self.returned, self.returnedRoots)
    var said = Placed.inOrder(settled)[...]
    var pieces: [OutgoingRecords.Piece] = []
    // Entries that follow each other are one piece.
    var (part, range) = (0, 0..<0)
    func end() {
      if !range.isEmpty {
        pieces.append(part == Self.leavingPart ? .deletes(part: part, range) : .rows(part: part, range))
      }
      range = 0..<0
    }
    forEachTaken { taken in
      guard let entry = taken.entry else { return }
      let isReturned = taken.isDelete ? returnedRoots.contains(taken.place) : returned.contains(taken.key)
      if isReturned || said.first.map({ $0.place < taken.place }) ?? false { end() }
      while let first = said.first, first.place < taken.place { pieces.append(.facts(said.removeFirst().value)) }
      if isReturned { return }
      if range.isEmpty || part != entry.part || range.upperBound != entry.index {
        end()
        (part, range) = (entry.part, entry.index..<entry.index)
      }
      range = range.lowerBound..<entry.index + 1
    }
    end()
    return OutgoingRecords(pieces + said.map { .facts($0.value) }, of: parts)
  }

  /// The bytes of what other devices must know of a save at nothing of which a rule looked.
  func encodedOutgoing(in transaction: TransactionFacts) -> OutgoingBytes {
    if let encoded = intake.encodedBeside() { return encoded }
    return (intake.leaving.isEmpty ? intake.outgoingRecords : outgoing()).encoded(in: transaction)
  }

  /// How many records other devices must be told of, of such a save.
  var outgoingCount: Int { parts[0].count + parts[1].count + intake.leaving.roots.count }
}

/// Something that a change of a request brought, with the place of the change.
struct Placed<Value> {
  let place: Int
  let value: Value

  /// By place; those of one place keep their order, which the library's sort does not promise.
  static func inOrder(_ all: [Placed]) -> [Placed] {
    if zip(all, all.dropFirst()).allSatisfy({ $0.place <= $1.place }) { return all }
    return all.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
  }

  /// Two lists that rise by place, as one.
  static func merged(_ left: [Placed], _ right: [Placed]) -> [Placed] {
    var merged: [Placed] = []
    merged.reserveCapacity(left.count + right.count)
    var rest = right[...]
    for element in left {
      while let first = rest.first, first.place < element.place { merged.append(rest.removeFirst()) }
      merged.append(element)
    }
    return merged + rest
  }
}
