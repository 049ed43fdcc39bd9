public import RecordStore

/// What a store with the fixture schema should hold, kept in plain dictionaries and worked out anew from
/// everything after each save: slow, short, and written without the engine's code.
///
/// Times are the numbers of the saves.
public struct OracleTwin: Sendable {
  public enum Operation: Sendable, CustomStringConvertible {
    case insert(String, RecordID, [String: FieldValue])
    case update(String, RecordID, [String: FieldValue])
    case delete(String, RecordID)
    case link(trip: RecordID, tag: RecordID, Bool)

    public var description: String {
      switch self {
      case .insert(let entity, let id, let fields): "insert \(entity) \(id.low) \(fields)"
      case .update(let entity, let id, let fields): "update \(entity) \(id.low) \(fields)"
      case .delete(let entity, let id): "delete \(entity) \(id.low)"
      case .link(let trip, let tag, let isLinked): "\(isLinked ? "link" : "unlink") \(trip.low) \(tag.low)"
      }
    }
  }

  struct Record: Sendable {
    var entity: String
    var fields: [String: FieldValue]
    var touch: Int
    var deleted: Int?
    var written: [String: Int] = [:]
    var insertedAt: Int
  }

  struct Rule: Sendable {
    var holder: String
    var field: String
    var isRequired = false
    var isCascade = false
    var isDeny = false
    var isExclusive = false
  }

  static let rules = [
    Rule(holder: "Stop", field: "trip", isRequired: true, isCascade: true),
    Rule(holder: "Stop", field: "city", isDeny: true),
    Rule(holder: "Stop", field: "next"),
    Rule(holder: "Pass", field: "trip", isCascade: true, isExclusive: true),
    Rule(holder: "Note", field: "~Person.notes", isCascade: true),
  ]
  static let uniqueKeys = [
    ("Trip", ["name"]), ("City", ["name"]), ("Tag", ["name"]), ("Stop", ["trip", "position"]),
  ]

  private var records: [RecordID: Record] = [:]
  private var links: [Link: LinkTimes] = [:]
  private var now = 0
  /// Inserts of this save that became updates of other records.
  private var remapped: [RecordID: RecordID] = [:]

  struct Link: Hashable, Sendable {
    var trip: RecordID
    var tag: RecordID
  }

  struct LinkTimes: Sendable {
    var touch = 0
    var deleted = 0
    /// Before this save, which may unlink and link again.
    var deletedBefore = 0
  }

  public init() {}

  /// Carries out one save; on an error nothing has changed. The error may be any of the codes.
  public mutating func save(_ operations: [Operation]) -> Set<StoreError.Code> {
    var twin = self
    twin.now += 1
    for operation in operations {
      // What was wrong already may be told instead: a store looks at some rules only when all is applied.
      if let code = twin.apply(twin.resolved(operation)) { return twin.flaws().union([code]) }
    }
    twin.remapped = [:]
    let codes = twin.flaws()
    if codes.isEmpty { self = twin }
    return codes
  }
}

// Operations.
extension OracleTwin {
  /// The operation on the records that its ids stand for.
  private func resolved(_ operation: Operation) -> Operation {
    func resolved(_ id: RecordID) -> RecordID { remapped[id] ?? id }
    func resolved(_ fields: [String: FieldValue]) -> [String: FieldValue] {
      fields.mapValues { value in
        if case .reference(let id) = value { .reference(resolved(id)) } else { value }
      }
    }
    switch operation {
    case .insert(let entity, let id, let fields): return .insert(entity, id, resolved(fields))
    case .update(let entity, let id, let fields): return .update(entity, resolved(id), resolved(fields))
    case .delete(let entity, let id): return .delete(entity, resolved(id))
    case .link(let trip, let tag, let isLinked): return .link(trip: resolved(trip), tag: resolved(tag), isLinked)
    }
  }

  private mutating func apply(_ operation: Operation) -> StoreError.Code? {
    switch operation {
    case .insert(let entity, let id, let fields):
      if namesDead(entity, fields) { return .recordNotFound }
      if let holder = holder(entity, id, fields) {
        remapped[id] = holder
        return write(fields, to: holder)
      } else {
        records[id] = Record(entity: entity, fields: fields, touch: now, insertedAt: now)
        for field in fields.keys { records[id]?.written[field] = now }
        displace(by: id, fields)
      }
    case .update(_, let id, let fields):
      guard isUpdatable(id) else { return .recordNotFound }
      return write(fields, to: id)
    case .delete(_, let id):
      if isUpdatable(id) { records[id]?.deleted = now }
    case .link(let trip, let tag, let isLinked):
      let link = Link(trip: trip, tag: tag)
      if isLinked, !isVisible(link), [trip, tag].contains(where: isDead) { return .recordNotFound }
      var times = links[link] ?? LinkTimes()
      if isLinked, !isVisible(link) {
        times.touch = now
        if times.deleted == now { times.deleted = times.deletedBefore }
        links[link] = times
      }
      if !isLinked, isVisible(link) || links[link].map({ $0.touch == now && $0.deleted != now }) ?? false {
        links[link]?.deletedBefore = times.deleted
        links[link]?.deleted = now
      }
    }
    return nil
  }

  private func isUpdatable(_ id: RecordID) -> Bool {
    guard let record = records[id], record.deleted != now else { return false }
    // What this save wrote it may write again, also if what it wrote first would hide the record.
    return record.insertedAt == now || visibleIDs().contains(id) || record.touch == now && !goesWithThisSave(id)
  }

  /// Whether a reference that hides or protects leads to what was deleted before this save.
  private func namesDead(_ entity: String, _ fields: [String: FieldValue]) -> Bool {
    Self.rules.contains { rule in
      guard rule.holder == entity, rule.isRequired || rule.isCascade || rule.isDeny,
        case .reference(let id)? = fields[rule.field]
      else { return false }
      return isDead(id)
    }
  }

  private func isDead(_ id: RecordID) -> Bool {
    records[id] != nil && !livingIDs().contains(id) && !goesWithThisSave(id)
  }

  private mutating func write(_ fields: [String: FieldValue], to id: RecordID) -> StoreError.Code? {
    let written = records[id]?.fields ?? [:]
    // What readers see, but what this save wrote itself as it was written, even if that names nothing there is.
    let before = (visible()[id] ?? written).merging(written.filter { records[id]?.written[$0.key] == now }) { $1 }
    let changed = fields.filter { before[$0.key] != $0.value }
    guard !changed.isEmpty, let entity = records[id]?.entity else { return nil }
    if namesDead(entity, changed) { return .recordNotFound }
    records[id]?.touch = now
    for (field, value) in changed {
      records[id]?.fields[field] = value
      records[id]?.written[field] = now
    }
    displace(by: id, changed)
    return nil
  }

  private mutating func displace(by id: RecordID, _ fields: [String: FieldValue]) {
    guard let entity = records[id]?.entity else { return }
    for rule in Self.rules where rule.isExclusive && rule.holder == entity {
      guard let target = fields[rule.field], target != .null else { continue }
      for (other, record) in records where other != id && record.entity == entity {
        guard record.fields[rule.field] == target, isUpdatable(other) else { continue }
        records[other]?.fields[rule.field] = .null
        records[other]?.touch = now
      }
    }
  }

  /// The living record with the same unique value.
  private func holder(_ entity: String, _ id: RecordID, _ fields: [String: FieldValue]) -> RecordID? {
    let living = livingIDs()
    for (owner, key) in Self.uniqueKeys where owner == entity {
      let values = key.map { fields[$0] ?? .null }
      if values.contains(.null) { continue }
      let found = records.first { other, record in
        other != id && record.entity == entity && record.deleted != now
          && (record.insertedAt == now || living.contains(other)) && key.map { record.fields[$0] ?? .null } == values
      }
      if let found { return found.key }
    }
    return nil
  }
}

// What follows.
extension OracleTwin {
  private func target(_ record: Record, _ rule: Rule) -> RecordID? {
    if case .reference(let id)? = record.fields[rule.field] { id } else { nil }
  }

  private func aliveIDs(livingHolders: Set<RecordID>) -> Set<RecordID> {
    var touch = records.mapValues(\.touch)
    var kept: Set<RecordID> = []
    func lives(_ id: RecordID) -> Bool {
      guard let deleted = records[id]?.deleted else { return true }
      return touch[id, default: 0] > deleted || kept.contains(id)
    }
    var hasChanged = true
    while hasChanged {
      let before = (touch, kept)
      for (id, record) in records where lives(id) {
        for rule in Self.rules where rule.holder == record.entity {
          guard let above = target(record, rule), records[above] != nil else { continue }
          if rule.isDeny, livingHolders.contains(id) { kept.insert(above) }
          if rule.isCascade { touch[above] = max(touch[above, default: 0], touch[id, default: 0]) }
        }
      }
      hasChanged = before != (touch, kept)
    }
    return Set(records.keys.filter(lives))
  }

  /// Alive, and nothing above that it needs is dead.
  private func livingIDs() -> Set<RecordID> {
    var living = Set(records.keys)
    while true {
      let next = closed(aliveIDs(livingHolders: living)) { records[$0] == nil }
      if next == living { return living }
      living = next
    }
  }

  private func visibleIDs() -> Set<RecordID> {
    closed(aliveIDs(livingHolders: livingIDs())) { _ in false }
  }

  /// Takes away what needs something outside the set; `allows` excuses a missing target.
  private func closed(_ ids: Set<RecordID>, allows: (RecordID) -> Bool) -> Set<RecordID> {
    var kept = ids
    while true {
      let next = kept.filter { id in
        Self.rules.allSatisfy { rule in
          guard let record = records[id], record.entity == rule.holder, rule.isRequired || rule.isCascade else {
            return true
          }
          guard let above = target(record, rule) else { return !rule.isRequired }
          return kept.contains(above) || allows(above)
        }
      }
      if next.count == kept.count { return kept }
      kept = next
    }
  }

  private func isVisible(_ link: Link) -> Bool {
    let visible = visibleIDs()
    guard let times = links[link] else { return false }
    return times.touch > times.deleted && visible.contains(link.trip) && visible.contains(link.tag)
  }

  /// What readers see: references to invisible records are nil, the later holder has a one-to-one.
  public func visible() -> [RecordID: [String: FieldValue]] {
    let ids = visibleIDs()
    var seen: [RecordID: [String: FieldValue]] = [:]
    for id in ids {
      guard let record = records[id] else { continue }
      var fields = record.fields
      for rule in Self.rules where rule.holder == record.entity {
        guard let above = target(record, rule) else { continue }
        let isLost =
          rule.isExclusive
          && ids.contains { other in
            guard let rival = records[other], rival.entity == rule.holder, other != id else { return false }
            return target(rival, rule) == above && later(rival, other, rule) > later(record, id, rule)
          }
        if isLost || !ids.contains(above) { fields[rule.field] = .null }
      }
      seen[id] = fields
    }
    return seen
  }

  private func later(_ record: Record, _ id: RecordID, _ rule: Rule) -> (Int, RecordID) {
    (record.written[rule.field] ?? 0, id)
  }

  public func entity(of id: RecordID) -> String { records[id]?.entity ?? "" }

  public func visibleLinks() -> Set<[RecordID]> {
    Set(links.keys.filter(isVisible).map { [$0.trip, $0.tag] })
  }

  /// Codes for which the save must be refused.
  private func flaws() -> Set<StoreError.Code> {
    var codes: Set<StoreError.Code> = []
    let visible = visibleIDs()
    let alive = aliveIDs(livingHolders: livingIDs())
    for (id, record) in records {
      if record.deleted == now, alive.contains(id) { codes.insert(.deleteDenied) }
      let isWritten = record.touch == now
      if isWritten, !visible.contains(id), !goesWithThisSave(id) { codes.insert(.recordNotFound) }
      if isWritten, visible.contains(id), protectsTheUnknown(record) { codes.insert(.recordNotFound) }
    }
    for (link, times) in links where times.touch == now && times.deleted != now && !isVisible(link) {
      if ![link.trip, link.tag].contains(where: goesWithThisSave) { codes.insert(.recordNotFound) }
    }
    for (entity, key) in Self.uniqueKeys {
      var seen: Set<[FieldValue]> = []
      for id in visible where records[id]?.entity == entity {
        let values = key.map { records[id]?.fields[$0] ?? .null }
        if !values.contains(.null), !seen.insert(values).inserted { codes.insert(.uniquenessViolation) }
      }
    }
    var notes: [FieldValue: Int] = [:]
    for id in visible where records[id]?.entity == "Note" {
      if let owner = records[id]?.fields["~Person.notes"], owner != .null { notes[owner, default: 0] += 1 }
    }
    if notes.values.contains(where: { $0 > 3 }) { codes.insert(.countViolation) }
    return codes
  }

  /// Whether a reference under deny was written now and leads to nothing that is known.
  private func protectsTheUnknown(_ record: Record) -> Bool {
    Self.rules.contains { rule in
      guard rule.isDeny, rule.holder == record.entity, record.written[rule.field] == now,
        case .reference(let target)? = record.fields[rule.field]
      else { return false }
      return records[target] == nil
    }
  }

  private func goesWithThisSave(_ id: RecordID) -> Bool {
    var pending = [id]
    var visited: Set<RecordID> = []
    while let current = pending.popLast() {
      guard visited.insert(current).inserted, let record = records[current] else { continue }
      if record.deleted == now { return true }
      for rule in Self.rules where rule.holder == record.entity && (rule.isRequired || rule.isCascade) {
        if let above = target(record, rule) { pending.append(above) }
      }
    }
    return false
  }
}
