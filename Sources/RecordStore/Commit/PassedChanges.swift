import LMDB

/// The changes of a local save that ``PlainSave`` has taken. One that is given back takes effect in its place among the
/// changes of the request.
final class PassedChanges: PassedRecords {
  /// A change that was taken.
  private struct Taken {
    let place: Int
    let key: RecordKey
    /// The part and the place there of what it wrote; nil for an update that changes nothing.
    let entry: (part: Int, index: Int)?
  }

  private let plain: PlainSave
  private let request: SaveRequest
  private var taken: [RecordKey: Taken] = [:]
  private var knowsAll = false
  private(set) var returned: Set<RecordKey> = []
  /// Whether the rows are written: from then on a record is found in its table.
  private var isWritten = false
  /// What was given back before the session said what other devices must know.
  private var returnedBeforeSaying: Set<RecordKey>?

  init(_ plain: PlainSave, of request: SaveRequest) {
    self.plain = plain
    self.request = request
    guard !plain.refused.isEmpty else { return }
    forEachTaken { if plain.refused.contains($0.key) { taken[$0.key] = $0 } }
  }

  /// The changes at which the rules look from the beginning, in the order of the request.
  func asked() throws -> [ReturnedChange] {
    let refused = try plain.refused.map { key in
      guard let found = try giveBack(key) else { preconditionFailure("a refused record was taken") }
      return found
    }
    let asked = plain.asked.map {
      ReturnedChange(place: $0, changes: [change(at: $0)], newRecord: nil, entered: nil)
    }
    return (refused + asked).sorted { $0.place < $1.place }
  }

  func shows(_ key: RecordKey) -> Bool {
    guard plain.lanes.indices.contains(key.entity), let lane = plain.lanes[key.entity] else { return false }
    return lane.inserts(key.id) && !returned.contains(key)
  }

  func giveBack(_ key: RecordKey) throws -> ReturnedChange? {
    guard !isWritten, plain.lanes.indices.contains(key.entity), let lane = plain.lanes[key.entity],
      lane.inserts(key.id) || lane.updates(key.id), !returned.contains(key)
    else { return nil }
    if taken[key] == nil, !knowsAll {
      knowsAll = true
      forEachTaken { taken[$0.key] = $0 }
    }
    guard let found = taken[key] else { preconditionFailure("each row that was taken comes from a change") }
    returned.insert(key)
    return ReturnedChange(
      place: found.place, changes: [change(at: found.place)], newRecord: lane.inserts(key.id) ? key : nil,
      entered: try found.entry.map(facts))
  }

  /// From now on the session says nothing of records that it is given back.
  func endSaying() { returnedBeforeSaying = returned }
}

// The request.
extension PassedChanges {
  private func change(at place: Int) -> RecordChange {
    if place < request.changes.count { return request.changes[place] }
    let edit = place - request.changes.count
    if edit < request.edits.entries.count { return request.edits.change(at: edit) }
    return request.drafts.change(at: edit - request.edits.entries.count)
  }

  /// Lends what was taken, in the order of the request.
  private func forEachTaken(_ body: (Taken) -> Void) {
    var asked = plain.asked[...]
    var next = 0
    func lend(_ place: Int, _ key: RecordKey, drafted: Int?) {
      if asked.first == place {
        asked.removeFirst()
        return
      }
      if let drafted { return body(Taken(place: place, key: key, entry: (1, drafted))) }
      let entries = plain.parts[0].entries
      let hasEntry = next < entries.count && entries[next].id == key.id && entries[next].entity == key.entity
      body(Taken(place: place, key: key, entry: hasEntry ? (0, next) : nil))
      if hasEntry { next += 1 }
    }
    var place = 0
    for change in request.changes {
      switch change {
      case .insert(let entity, let id, _), .update(let entity, let id, _):
        lend(place, RecordKey(entity: entity, id: id), drafted: nil)
      case .delete, .link, .facts: asked.removeFirst()
      }
      place += 1
    }
    for edit in request.edits.entries {
      lend(place, RecordKey(entity: edit.entity, id: edit.id), drafted: nil)
      place += 1
    }
    for (index, draft) in request.drafts.entries.enumerated() {
      lend(place, RecordKey(entity: EntityNumber(draft.entity), id: draft.id), drafted: index)
      place += 1
    }
  }

  /// A record as the commit would have written it.
  private func facts(of entry: (part: Int, index: Int)) throws -> RecordFacts {
    let entry = plain.parts[entry.part].entries[entry.index]
    let bytes = RecordDrafts.finished(entry, stamp: plain.stamp)
    let entity = plain.layout.catalogue.entities[EntityNumber(entry.entity)]
    return try bytes.withRawBytes { try RecordFacts(decoding: $0, id: entry.id, entity: entity) }
  }
}

// What came of it.
extension PassedChanges {
  /// How many records were not given back.
  var takenCount: Int {
    plain.lanes.compactMap(\.self).reduce(0) { sum, lane in
      sum + lane.rows.count { !returned.contains(RecordKey(entity: lane.entity, id: $0.id)) }
    }
  }

  /// Writes the rows of all that was not given back; nothing is from then on.
  func writeRows(in transaction: borrowing WriteTransaction) throws {
    isWritten = true
    try plain.writeRows(in: transaction, except: returned)
  }

  /// What changed for readers, together with what the session changed, in the order of the request.
  func changes(with settled: [Placed<HistoryChange>]) -> [HistoryChange] {
    var own: [Placed<HistoryChange>] = []
    own.reserveCapacity(plain.changes.count)
    var next = 0
    forEachTaken { taken in
      guard next < plain.changes.count, case let change = plain.changes[next], change.id == taken.key.id,
        change.entity == taken.key.entity
      else { return }
      next += 1
      if !returned.contains(taken.key) { own.append(Placed(place: taken.place, value: change)) }
    }
    return Placed.merged(own, Placed.inOrder(settled)).map(\.value)
  }

  /// What other devices must know, together with what the session says, in the order of the request.
  func outgoing(with settled: [Placed<RecordFacts>]) -> OutgoingRecords {
    let returned = returnedBeforeSaying ?? self.returned
    var said = Placed.inOrder(settled)[...]
    var pieces: [OutgoingRecords.Piece] = []
    // Rows that follow each other are one piece.
    var (part, range) = (0, 0..<0)
    func end() {
      if !range.isEmpty { pieces.append(.rows(part: part, range)) }
      range = 0..<0
    }
    forEachTaken { taken in
      guard let entry = taken.entry else { return }
      let isReturned = !returned.isEmpty && returned.contains(taken.key)
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
    return OutgoingRecords(pieces + said.map { .facts($0.value) }, of: plain.parts)
  }
}

/// Something that a change of a request brought, with the place of the change.
struct Placed<Value> {
  let place: Int
  let value: Value

  /// By place; those of one place keep their order, which the library's sort does not promise.
  static func inOrder(_ all: [Placed]) -> [Placed] {
    all.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
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
