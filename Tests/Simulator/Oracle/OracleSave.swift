import RecordStore
import ScenarioRunner

/// What a save must do, worked out from what its author sees: the facts that it makes, or that it must be refused.
struct OracleSave {
  enum Outcome: Equatable {
    case refused(String)
    case nothing
    case facts([RecordID: OracleFacts])
  }

  private struct Refusal: Error {
    var reason: String
  }

  private let known: [OracleTransaction]
  private let schema: SimulatedSchema
  private let replica: UInt64
  private let stamp: OracleStamp
  /// The ids that names stand for.
  private let id: (String) -> RecordID
  private let entityOf: (String) -> String?
  /// Whether an update of a record that was never heard of waits for its insert.
  private let keepsUnknownUpdates: Bool

  private var draft: [RecordID: OracleFacts] = [:]
  private var remapped: [RecordID: RecordID] = [:]
  private var insertedHere: Set<RecordID> = []
  private var writtenHere: Set<RecordID> = []
  private var deletedHere: Set<RecordID> = []
  private var once: String?
  private var state: OracleState
  /// Where references that lead nowhere were last looked at, and the fields that this save has written.
  private var settled: OracleState
  /// Before the save.
  private let before: OracleState
  private var writtenFields: Set<OracleState.Reference> = []
  /// One-to-one references whose targets this save gave to others since they were last looked at.
  private var displaced: Set<OracleState.Reference> = []
  /// All of them.
  private var displacedHere: Set<OracleState.Reference> = []

  /// `state`: of `known`, with the schema of the author's store and entities for its links.
  init(
    state: OracleState, replica: UInt64, stamp: OracleStamp, id: @escaping (String) -> RecordID,
    entityOf: @escaping (String) -> String?, keepsUnknownUpdates: Bool
  ) {
    known = state.transactions
    schema = state.schema
    self.replica = replica
    self.stamp = stamp
    self.id = id
    self.entityOf = entityOf
    self.keepsUnknownUpdates = keepsUnknownUpdates
    self.state = state
    settled = state
    before = state
  }

  /// `once`: the key of an effect that happens once.
  mutating func run(_ edits: [HistoryStep.RecordEdit], once: String? = nil) -> Outcome {
    if let once, known.contains(where: { $0.once == once }) { return .nothing }
    self.once = once
    do {
      var index = 0
      while index < edits.count {
        // Deletes that follow each other are one step, so that a record and what forbids its delete may go together.
        var deletes: [RecordID] = []
        while index < edits.count, case .delete(let name) = edits[index] {
          deletes.append(id(name))
          index += 1
        }
        if !deletes.isEmpty {
          delete(deletes)
          continue
        }
        try apply(edits[index])
        index += 1
      }
      takeBackNilsOfDisplaced()
      // Once all is written that is written here.
      if !draft.isEmpty { refresh() }
      releaseDisplaced()
      try validate()
    } catch {
      return .refused(error.reason)
    }
    let facts = facts.filter { !$0.value.saysNothing }
    return facts.isEmpty && once == nil ? .nothing : .facts(facts)
  }

  private mutating func apply(_ edit: HistoryStep.RecordEdit) throws(Refusal) {
    switch edit {
    case .insert(let entity, let name, let values):
      try insert(entity, id(name), fields(values, of: entity))
    case .update(let name, let values):
      let target = resolved(id(name))
      if let entity = waitingEntity(of: target, name) { return keep(fields(values, of: entity), of: target, entity) }
      guard isUpdatable(target), let row = state.rows[target] else { throw Refusal(reason: "recordNotFound") }
      try write(fields(values, of: row.entity), to: target)
    case .delete(let name): delete([id(name)])
    case .link(let name, let relationship, let other, let isLinked):
      try link(id(name), relationship, id(other), isLinked)
    }
  }

  private func fields(_ values: [String: JSONValue], of entity: String) -> [String: FieldValue] {
    var fields: [String: FieldValue] = [:]
    let references = schema.entity(entity).references.map(\.name)
    for (name, value) in values {
      switch value {
      case .string(let text) where references.contains(name): fields[name] = .reference(resolved(id(text)))
      case .string(let text):
        fields[name] = schema.entity(entity).isFile(name) ? FieldValue(file: text) : .string(text)
      case .integer(let number): fields[name] = .int(number)
      default: fields[name] = .null
      }
    }
    return fields
  }

  private func resolved(_ id: RecordID) -> RecordID { state.root(remapped[id] ?? id) }

  private mutating func change(_ row: RecordID, _ entity: String, _ body: (inout OracleFacts) -> Void) {
    body(&draft[row, default: OracleFacts(entity: entity)])
    refresh()
  }

  private mutating func refresh() {
    let own = known.filter { $0.replica == replica }.map(\.sequence).max() ?? 0
    var context: [UInt64: UInt64] = [:]
    for transaction in known {
      context[transaction.replica] = max(context[transaction.replica] ?? 0, transaction.sequence)
    }
    let transaction = OracleTransaction(
      replica: replica, sequence: own + 1, stamp: stamp, context: context, facts: facts)
    state = OracleState(
      known + [transaction], schema: schema,
      draft: OracleState.Draft(
        stamp: stamp, written: writtenHere, visible: settled.visible.union(insertedHere),
        canonical: before.canonical.mapValues(before.root)))
  }

  /// What the save says of each id. A row's new unique values end what every id behind it held, and its delete is
  /// that of all of them.
  private var facts: [RecordID: OracleFacts] {
    var all = draft
    for (row, own) in draft {
      let definition = schema.entity(own.entity)
      let keys = Set(definition.unique.joined())
      let shared = keys.union(definition.groups.filter { !keys.isDisjoint(with: $0) }.joined())
      for member in before.members(of: row) where member != row {
        let writes = own.writes.filter { shared.contains($0.key) }
        all[member] = OracleFacts(
          entity: own.entity, isTouched: !writes.isEmpty, isDeleted: own.isDeleted, writes: writes)
      }
    }
    return all
  }
}

// Inserts and updates.
extension OracleSave {
  private func isUpdatable(_ row: RecordID) -> Bool {
    if state.visible.contains(row) { return true }
    guard draft[row]?.isDeleted != true else { return false }
    // An earlier change of the save may have taken what the record cannot be without: the end of the save is judged.
    return insertedHere.contains(row) || settled.visible.contains(row) && !goesWithThisSave(row)
  }

  private mutating func insert(
    _ entity: String, _ id: RecordID, _ given: [String: FieldValue]
  ) throws(Refusal) {
    let definition = schema.entity(entity)
    var all = given
    for name in definition.attributes.map(\.name) + definition.references.map(\.name) where all[name] == nil {
      all[name] = OracleState.absent(name, definition)
    }
    for reference in definition.references where reference.isRequired && all[reference.name] == .null {
      throw Refusal(reason: "invalidRequest")
    }
    try refuseDeadTargets(given, definition)
    for key in definition.unique {
      guard let holder = holder(entity, key, all, except: id) else { continue }
      remapped[id] = holder
      try write(given, to: holder)
      return
    }
    let row = state.root(id)
    if once != nil {
      // What somebody wrote since another device ran the key stays.
      all = all.filter { state.rows[row]?.registers[$0.key]?.isOnce ?? true }
    }
    insertedHere.insert(row)
    writtenHere.insert(row)
    change(row, entity) { [once] facts in
      facts.isInserted = true
      facts.isTouched = facts.isTouched || once == nil
      facts.onceKey = once
      facts.isDeleted = false
      facts.writes.merge(all) { _, new in new }
    }
    writtenFields.formUnion(all.keys.map { OracleState.Reference(holder: row, field: $0) })
    displace(by: row, definition, Array(all.keys))
  }

  /// The visible record with the value, else one that only waits.
  private func holder(
    _ entity: String, _ key: [String], _ values: [String: FieldValue], except id: RecordID
  ) -> RecordID? {
    let wanted = key.map { values[$0] ?? .null }
    guard !wanted.contains(.null) else { return nil }
    let others = state.rows.values.filter { row in
      row.id != id && row.entity == entity && draft[row.id]?.isDeleted != true
        && state.currentClaims(of: row).contains { $0.key == key && $0.values == wanted }
    }.map(\.id).sorted()
    return others.first { state.visible.contains($0) || insertedHere.contains($0) }
      ?? others.first { !state.isDead($0) }
  }

  /// The entity of a record of which nothing but updates is known, as scenarios may have them; nil for all others.
  private func waitingEntity(of row: RecordID, _ name: String) -> String? {
    guard keepsUnknownUpdates else { return nil }
    guard let known = state.rows[row] else { return entityOf(name) }
    return !known.isInserted && known.deleted == nil ? known.entity : nil
  }

  private mutating func keep(_ fields: [String: FieldValue], of row: RecordID, _ entity: String) {
    change(row, entity) { facts in
      facts.isTouched = true
      facts.writes.merge(fields) { _, new in new }
    }
    writtenFields.formUnion(fields.keys.map { OracleState.Reference(holder: row, field: $0) })
  }

  private mutating func write(_ fields: [String: FieldValue], to row: RecordID) throws(Refusal) {
    guard let known = state.rows[row] else { throw Refusal(reason: "recordNotFound") }
    let definition = schema.entity(known.entity)
    var changed = fields.filter { value($0.key, of: known) != $0.value }
    guard !changed.isEmpty || known.life == nil else { return }
    try refuseDeadTargets(changed, definition)
    for group in definition.groups where group.contains(where: { changed[$0] != nil }) {
      for name in group where changed[name] == nil { changed[name] = value(name, of: known) }
    }
    writtenHere.insert(row)
    change(row, known.entity) { facts in
      // What a once transaction does to its own inserts belongs to the insert.
      if facts.onceKey == nil { facts.isTouched = true }
      facts.writes.merge(changed) { _, new in new }
    }
    writtenFields.formUnion(changed.keys.map { OracleState.Reference(holder: row, field: $0) })
    displace(by: row, definition, Array(changed.keys))
  }

  /// What an assignment is compared with: what this save wrote, else what readers saw.
  private func value(_ field: String, of row: OracleState.Row) -> FieldValue {
    if writtenFields.contains(OracleState.Reference(holder: row.id, field: field)) {
      return row.registers[field]?.value ?? .null
    }
    return isUnseen(field, of: row) ? .null : settled.value(field, of: row)
  }

  private func isUnseen(_ field: String, of row: OracleState.Row) -> Bool {
    displaced.contains(OracleState.Reference(holder: row.id, field: field))
  }

  /// Nothing new may hang on what somebody deleted.
  private func refuseDeadTargets(
    _ fields: [String: FieldValue], _ definition: SimulatedSchema.Entity
  ) throws(Refusal) {
    for reference in definition.references where reference.hides || reference.isDeny {
      guard case .reference(let target)? = fields[reference.name], !state.visible.contains(target),
        state.rows[target] != nil, state.isDead(target), !goesWithThisSave(target)
      else { continue }
      throw Refusal(reason: "recordNotFound")
    }
  }

  /// A target of a one-to-one leaves its earlier holders, which read nil without a write of their own.
  private mutating func displace(by row: RecordID, _ definition: SimulatedSchema.Entity, _ fields: [String]) {
    for reference in definition.references where reference.isExclusive && fields.contains(reference.name) {
      guard let target = state.rows[row]?.target(reference.name), !reference.isRequired else { continue }
      let others = state.rows.values.filter { other in
        other.id != row && other.entity == definition.name && other.target(reference.name) == target
          && isUpdatable(other.id)
      }
      for other in others {
        if other.registers[reference.name]?.stamp == stamp {
          writtenHere.insert(other.id)
          change(other.id, definition.name) { $0.writes[reference.name] = .null }
        } else if value(reference.name, of: other) != .null {
          writtenHere.insert(other.id)
          displaced.insert(OracleState.Reference(holder: other.id, field: reference.name))
          displacedHere.insert(OracleState.Reference(holder: other.id, field: reference.name))
        }
      }
    }
  }

  /// A save that writes nil in a record and gives its target to another says so of the other one alone.
  private mutating func takeBackNilsOfDisplaced() {
    for (row, facts) in draft where writtenHere.contains(row) && before.visible.contains(row) && !facts.isDeleted {
      guard let old = before.rows[row] else { continue }
      for reference in schema.entity(facts.entity).references
      where reference.isExclusive && !reference.isRequired && facts.writes[reference.name] == .null {
        let had = before.value(reference.name, of: old)
        guard had != .null else { continue }
        let isTaken = state.rows.values.contains { other in
          other.entity == facts.entity && other.registers[reference.name]?.stamp == stamp
            && state.visible.contains(other.id) && state.value(reference.name, of: other) == had
        }
        guard isTaken else { continue }
        draft[row]?.writes[reference.name] = nil
        if draft[row]?.writes.isEmpty == true { draft[row]?.isTouched = false }
      }
    }
  }

  /// Those from whom a record had knowingly taken what it has no more go without.
  private mutating func releaseDisplaced() {
    while let (row, entity, field) = nextReleased() {
      change(row, entity) { $0.writes[field] = .null }
    }
  }

  private func nextReleased() -> (RecordID, String, String)? {
    for holder in before.visible.sorted() {
      guard let had = before.rows[holder], let now = state.rows[holder] else { continue }
      for reference in schema.entity(had.entity).references where reference.isExclusive && !reference.isRequired {
        guard before.value(reference.name, of: had) != .null, let target = had.target(reference.name),
          let taking = had.registers[reference.name]?.stamp
        else { continue }
        let isKept =
          state.visible.contains(holder) && now.target(reference.name) == target
          && !state.lost.contains(OracleState.Reference(holder: holder, field: reference.name))
        if isKept { continue }
        let released = state.rows.values.filter { other in
          guard other.id != holder, other.entity == had.entity, other.target(reference.name) == target,
            let lost = other.registers[reference.name]?.stamp, lost < taking,
            let author = state.byStamp[taking], let earlier = state.byStamp[lost]
          else { return false }
          return author.knew(earlier)
        }
        if let first = released.map(\.id).min() { return (first, had.entity, reference.name) }
      }
    }
    return displacedHere.compactMap { reference in
      guard let row = state.rows[reference.holder], let target = row.target(reference.field),
        let own = row.registers[reference.field]?.stamp, own != stamp
      else { return nil }
      let isTaken = state.rows.values.contains { other in
        other.id != row.id && other.entity == row.entity && state.visible.contains(other.id)
          && other.target(reference.field) == target && other.registers[reference.field].map { $0.stamp > own } ?? false
      }
      return isTaken ? nil : (row.id, row.entity, reference.field)
    }.min { $0.0 < $1.0 }
  }
}

// Deletes and links.
extension OracleSave {
  private mutating func delete(_ ids: [RecordID]) {
    defer {
      releaseDisplaced()
      settled = state
      displaced = []
    }
    let rows = ids.map(resolved)
    // What an earlier change of the save hides is deleted all the same.
    for row in rows where (isUpdatable(row) || before.visible.contains(row)) && state.rows[row] != nil {
      deletedHere.insert(row)
    }
    for row in Set(rows) where deletedHere.contains(row) && draft[row]?.isDeleted != true {
      guard let entity = state.rows[row]?.entity else { continue }
      // Nobody has seen the unique values that this save gave it before: it goes with those it had.
      let had = schema.entity(entity).unique.joined().filter { before.rows[row]?.registers[$0] != nil }
      change(row, entity) { facts in
        facts.isDeleted = true
        for field in had { facts.writes[field] = nil }
      }
    }
  }

  private mutating func link(
    _ id: RecordID, _ relationship: String, _ other: RecordID, _ isLinked: Bool
  ) throws(Refusal) {
    let (left, right) = (resolved(id), resolved(other))
    guard let owner = schema.entities.first(where: { $0.links[relationship] != nil }) else { return }
    let join = SimulatedSchema.join(owner.name, relationship)
    let linkID = OracleSave.linkID(left, right)
    guard isLinked else { return delete([linkID]) }
    if state.visible.contains(state.root(linkID)) { return }
    try insert(join, linkID, ["left": .reference(left), "right": .reference(right)])
  }

  /// Equal for equal ends; the engine's own ids of links do not matter.
  static func linkID(_ left: RecordID, _ right: RecordID) -> RecordID {
    RecordID(high: ~left.low, low: left.low << 32 ^ right.low)
  }
}

// What a save must not leave behind.
extension OracleSave {
  private func validate() throws(Refusal) {
    for row in deletedHere where draft[row]?.isDeleted == true && state.alive.contains(row) {
      throw Refusal(reason: "deleteDenied")
    }
    for row in writtenHere.map(state.root) {
      guard state.visible.contains(row) else {
        if goesWithThisSave(row) { continue }
        throw Refusal(reason: "recordNotFound")
      }
      // What was forgotten is not told from what never was.
      if protectsTheUnknown(row) { throw Refusal(reason: "recordNotFound") }
    }
    var seen: Set<OracleState.ClaimKey> = []
    for id in state.visible {
      guard let row = state.rows[id] else { continue }
      for claim in state.currentClaims(of: row) where !seen.insert(claim).inserted {
        throw Refusal(reason: "uniquenessViolation")
      }
    }
  }

  /// Whether a reference under deny that this save wrote leads to nothing that is known.
  private func protectsTheUnknown(_ id: RecordID) -> Bool {
    guard let row = state.rows[id] else { return false }
    return state.references(of: row).contains { reference in
      guard reference.isDeny, row.registers[reference.name]?.stamp == stamp, let target = row.target(reference.name)
      else { return false }
      return state.rows[target] == nil
    }
  }

  /// Whether this save's own deletes hide the record.
  private func goesWithThisSave(_ row: RecordID) -> Bool {
    var seen: Set<RecordID> = []
    var pending = [row]
    while let current = pending.popLast() {
      guard seen.insert(current).inserted, let row = state.rows[current] else { continue }
      if draft[current]?.isDeleted == true { return true }
      for reference in state.references(of: row) where reference.hides {
        if let above = row.target(reference.name), !state.visible.contains(above) { pending.append(above) }
      }
    }
    return false
  }
}
