import Foundation
import RecordStore

/// What must be visible, worked out by brute force from everything that is known: no queue, no index, and none of
/// the engine's code.
///
/// 1. *Members*: every record id with all that was ever written to it. 2. *Classes*: members that are one record
/// because of a unique value. 3. *Rows*: one a class, the greatest stamps of its members. 4. *Life*, then
/// *visibility*, each by repeating a rule until nothing changes.
struct OracleState {
  struct Write: Hashable {
    var stamp: OracleStamp
    var value: FieldValue
    /// Written by an insert that happens once: any other write beats it.
    var isOnce = false
  }

  /// One record id, as if no other stood for it.
  struct Member {
    var entity: String
    var isInserted = false
    var touch: OracleStamp?
    var deleted: OracleStamp?
    /// For each once key that inserted it, the first run.
    var onceRuns: [String: OracleStamp] = [:]
    /// By field, in order of stamp.
    var writes: [String: [Write]] = [:]
  }

  /// All ids that are one record.
  struct Row {
    var id: RecordID
    var entity: String
    var isInserted = false
    var touch: OracleStamp?
    var deleted: OracleStamp?
    var onceRuns: [String: OracleStamp] = [:]
    var registers: [String: Write] = [:]

    /// What a delete must surpass: a once key gives life at its first run only.
    var life: OracleStamp? { (onceRuns.values + [touch].compactMap(\.self)).max() }

    func target(_ field: String) -> RecordID? {
      if case .reference(let id)? = registers[field]?.value { id } else { nil }
    }
  }

  /// A save in the making: what it takes from others is refused in the end, not decided.
  struct Draft {
    var stamp: OracleStamp
    /// Rows that it has written, and those that were visible before.
    var written: Set<RecordID>
    var visible: Set<RecordID>
    /// What every id led to before.
    var canonical: [RecordID: RecordID]
  }

  let schema: SimulatedSchema
  let entities: [String: SimulatedSchema.Entity]
  let transactions: [OracleTransaction]
  /// Nil but within a save.
  let draft: Draft?
  let byStamp: [OracleStamp: OracleTransaction]
  var members: [RecordID: Member] = [:]
  /// Leads every id to the smallest of its class.
  var canonical: [RecordID: RecordID] = [:]
  var rows: [RecordID: Row] = [:]
  var alive: Set<RecordID> = []
  var visible: Set<RecordID> = []
  /// References of visible rows that read as nil because a later write took their one-to-one target.
  var lost: Set<Reference> = []
  /// Rows in whose place another was made, each with the newest write by which one was.
  var superseded: [RecordID: OracleStamp] = [:]

  struct Reference: Hashable {
    var holder: RecordID
    var field: String
  }

  init(_ transactions: [OracleTransaction], schema: SimulatedSchema, draft: Draft? = nil) {
    self.draft = draft
    self.schema = schema
    self.transactions = transactions
    entities = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, $0) })
    byStamp = Dictionary(transactions.map { ($0.stamp, $0) }, uniquingKeysWith: { first, _ in first })
    collectMembers()
    joinMembers()
    makeRows()
    decideLife()
    decideVisibility()
  }

  private mutating func collectMembers() {
    for transaction in transactions.sorted(by: { $0.stamp < $1.stamp }) {
      for (id, facts) in transaction.facts where entities[facts.entity] != nil {
        var member = members[id] ?? Member(entity: facts.entity)
        if facts.isInserted { member.isInserted = true }
        if let key = facts.onceKey {
          member.onceRuns[key] = min(member.onceRuns[key] ?? transaction.stamp, transaction.stamp)
        }
        if facts.isTouched { member.touch = transaction.stamp }
        if facts.isDeleted { member.deleted = transaction.stamp }
        for (field, value) in facts.writes {
          member.writes[field, default: []].append(
            Write(stamp: transaction.stamp, value: value, isOnce: facts.onceKey != nil))
        }
        members[id] = member
      }
    }
    for id in members.keys { canonical[id] = id }
  }

  private mutating func makeRows() {
    for (id, member) in members {
      let root = self.root(id)
      var row = rows[root] ?? Row(id: root, entity: member.entity)
      row.isInserted = row.isInserted || member.isInserted
      row.touch = [row.touch, member.touch].compactMap(\.self).max()
      row.onceRuns.merge(member.onceRuns, uniquingKeysWith: min)
      row.deleted = [row.deleted, member.deleted].compactMap(\.self).max()
      for (field, writes) in member.writes {
        for write in writes {
          var write = write
          if case .reference(let target) = write.value { write.value = .reference(self.root(target)) }
          if let known = row.registers[field], !OracleState.wins(write, over: known) { continue }
          row.registers[field] = write
        }
      }
      rows[root] = row
    }
  }

  /// What was written since a once insert, else the later write; of two with one stamp, which a cloned replica can
  /// make, that with the greater bytes.
  static func wins(_ write: Write, over other: Write) -> Bool {
    if write.isOnce != other.isOnce { return other.isOnce }
    if write.stamp != other.stamp { return write.stamp > other.stamp }
    return bytes(other.value).lexicographicallyPrecedes(bytes(write.value))
  }

  /// The bytes by which equal stamps are decided, for the types that histories use.
  private static func bytes(_ value: FieldValue) -> [UInt8] {
    switch value {
    case .string(let text): [6] + Array(text.utf8)
    case .int(let number): [2] + withUnsafeBytes(of: number.littleEndian) { Array($0) }
    case .data(let data): [9] + Array(data)
    case .reference(let id): [12] + withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { Array($0) }
    default: [0]
    }
  }

  func root(_ id: RecordID) -> RecordID {
    var id = id
    while let next = canonical[id], next != id { id = next }
    return id
  }

  func members(of row: RecordID) -> [RecordID] { members.keys.filter { root($0) == row }.sorted() }

  func references(of row: Row) -> [SimulatedSchema.Reference] { entities[row.entity]?.references ?? [] }
}

// What readers see.
extension OracleState {
  func value(_ field: String, of row: Row) -> FieldValue {
    guard let entity = entities[row.entity] else { return .null }
    if entity.references.contains(where: { $0.name == field }) {
      guard let target = row.target(field), visible.contains(target),
        !lost.contains(Reference(holder: row.id, field: field))
      else { return .null }
      return .reference(target)
    }
    return row.registers[field]?.value ?? OracleState.absent(field, entity)
  }

  /// What a field reads as that nobody wrote.
  static func absent(_ field: String, _ entity: SimulatedSchema.Entity) -> FieldValue {
    guard let attribute = entity.attributes.first(where: { $0.name == field }), !attribute.isOptional else {
      return .null
    }
    return attribute.type == "int" ? .int(0) : attribute.type == "file" ? .data(Data()) : .string("")
  }

  /// Visible records of an entity with all their values.
  func records(of entity: String) -> [RecordID: [String: FieldValue]] {
    guard let definition = entities[entity] else { return [:] }
    let fields = definition.attributes.map(\.name) + definition.references.map(\.name)
    var found: [RecordID: [String: FieldValue]] = [:]
    for id in visible {
      guard let row = rows[id], row.entity == entity else { continue }
      for field in fields { found[id, default: [:]][field] = value(field, of: row) }
    }
    return found
  }
}
