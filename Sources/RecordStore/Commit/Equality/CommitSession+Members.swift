import LMDB

/// Records as written, and the rows that show them.
extension CommitSession {
  var tables: ClassTables {
    guard let tables = layout.databases.classTables else { preconditionFailure("a writer has made the tables before") }
    return tables
  }

  /// The alias class of a record before this commit.
  func storedClass(of record: RecordKey) throws -> AliasClass {
    guard side.hasAliases else { return AliasClass(members: [record.id]) }
    let row = RecordKey(entity: record.entity, id: try storedCanonical(record.id))
    var found = AliasClass(members: [])
    try view.forEachKey(in: tables.originals, startingWith: OriginalTable.prefix(row)) { key, value in
      guard let id = OriginalTable.ids(key)?.id else { return }
      if let root = RecordID(bytes: value) { found.folded[id] = root } else { found.members.append(id) }
    }
    if found.members.isEmpty { found.members = [row.id] }
    return found
  }

  /// The alias class of a row as it will be.
  func currentClass(of row: RecordKey) throws -> AliasClass {
    try equality.classes[row] ?? storedClass(of: row)
  }

  /// The record that facts with this id belong to: itself, but for ids that an earlier build joined for good.
  func memberKey(_ key: RecordKey) throws -> RecordKey {
    guard side.hasAliases else { return key }
    let row = RecordKey(entity: key.entity, id: try storedCanonical(key.id))
    guard row != key, let value = try view.get(tables.originals, key: OriginalTable.key(row, key.id)) else {
      return key
    }
    return RecordKey(entity: key.entity, id: RecordID(bytes: value) ?? key.id)
  }

  /// A record as written; nil if nothing is known of it. `key` is a member's, see ``memberKey(_:)``.
  func member(_ key: RecordKey) throws -> Member? {
    if let known = equality.members[key] { return known }
    guard let found = try readMember(key) else { return nil }
    equality.members[key] = found
    return found
  }

  private func readMember(_ key: RecordKey) throws -> Member? {
    let rules = layout.rules[key.entity]
    let row = RecordKey(entity: key.entity, id: try storedCanonical(key.id))
    let isUnique = !rules.uniquePositions.isEmpty
    let past = side.hasPastWrites && isUnique ? try PastWriteTable.writes(of: key, in: tables.pastWrites, view) : []
    if side.hasOriginals, let value = try view.get(tables.originals, key: OriginalTable.key(row, key.id)),
      case .record(let facts) = try OriginalTable.entry(value, id: key.id, rules.entity)
    {
      return Member(stored: facts, past: past, isInClass: try storedClass(of: key).isShared)
    }
    // Without an entry the row is the record as written.
    guard row.id == key.id, let slot = try slots[key] ?? slot(of: key.id, entity: key.entity) else { return nil }
    guard let original = records[slot].original else {
      return records[slot].isRemoved ? nil : Member(new: records[slot].facts, past: past)
    }
    return Member(stored: records[slot].facts, original: original, past: past, isInClass: false)
  }

  /// A record's facts as its row spells them: references by canonical ids.
  func spelled(_ facts: RecordFacts, as id: RecordID) throws -> RecordFacts {
    var facts = facts
    facts.id = id
    guard side.hasAliases || !equality.aliases.isEmpty else { return facts }
    for rule in layout.rules[facts.entity].references {
      guard let target = facts.reference(at: rule.ordinal), let register = facts.register(at: rule.ordinal) else {
        continue
      }
      let canonical = try canonical(target)
      if canonical != target {
        facts.set(.reference(canonical), at: rule.ordinal, stamp: register.stamp, isOnce: register.isOnce)
      }
    }
    return facts
  }

  /// The row of a class: the join of its members.
  func rowFacts(of row: RecordKey, _ group: AliasClass) throws -> RecordFacts {
    var joined = RecordFacts(entity: row.entity, id: row.id)
    for id in group.members {
      guard let member = try member(RecordKey(entity: row.entity, id: id)) else { continue }
      joined.join(try spelled(member.facts, as: row.id))
    }
    return joined
  }
}

// The word of a local save on the records that share a row.
extension CommitSession {
  /// Brings the writes that a local save made to rows to the records behind them.
  ///
  /// A row's new unique values end what every record behind it held, and its delete is the delete of all of
  /// them: so each record gets these writes, and other devices are told of each.
  func transcribe() throws {
    for slot in records.indices where records[slot].isDirty && !records[slot].isRemoved {
      if let facts = records[slot].outgoing(stamp: stamp) { say(facts, of: slot) }
      let row = records[slot].key
      let group = side.hasAliases ? try storedClass(of: row) : AliasClass(members: [row.id])
      if group.isShared {
        try transcribe(slot, to: group) { say($0, of: slot) }
      } else if collecting.forgotten.contains(row) {
        continue
      } else if try hasOriginal(row) {
        guard var member = try member(row) else { continue }
        if member.join(written(slot), uniqueOrdinals: rules(of: slot).uniqueOrdinals) { noteClaimant(row) }
        // A record that is said again has no delete any more.
        member.facts.deleted = records[slot].facts.deleted
        equality.members[row] = member
      } else {
        try rememberOverwritten(slot)
      }
    }
    try forgetPastOfRestated()
  }

  private func say(_ facts: RecordFacts, of slot: Int) {
    outgoing.append(Placed(place: records[slot].place, value: facts))
  }

  /// Which unique values a record held that is said again must be the same everywhere, also where it was forgotten.
  private func forgetPastOfRestated() throws {
    for (key, restatement) in collecting.restated where !layout.rules[key.entity].uniqueOrdinals.isEmpty {
      guard try memberKey(key) == key, var member = try member(key) else { continue }
      member.forget(restatement.void, forks)
      equality.members[key] = member
      noteClaimant(key)
    }
  }

  private func hasOriginal(_ row: RecordKey) throws -> Bool {
    guard side.hasOriginals else { return false }
    return try view.get(tables.originals, key: OriginalTable.key(row, row.id)) != nil
  }

  /// The word of this save on a row.
  private func written(_ slot: Int) -> RecordFacts {
    let facts = records[slot].facts
    var written = RecordFacts(entity: facts.entity, id: facts.id, isInserted: facts.isInserted)
    if facts.touch == stamp { written.touch = stamp }
    if facts.deleted == stamp { written.deleted = stamp }
    written.onceInserts = facts.onceInserts.filter { $0.stamp == stamp }
    written.registers = facts.registers.filter { $0.stamp == stamp }
    return written
  }

  /// Brings what this commit says again of a row to the records behind it, for what is made of them.
  func transcribeRestated(_ slot: Int, to group: AliasClass) throws {
    let members = group.members.map { RecordKey(entity: records[slot].key.entity, id: $0) }
    guard members.contains(where: collecting.restated.keys.contains) else { return }
    try transcribe(slot, to: group) { _ in }
  }

  private func transcribe(_ slot: Int, to group: AliasClass, saying say: (RecordFacts) -> Void) throws {
    let row = records[slot].key
    let rules = rules(of: slot)
    let written = written(slot)
    var shared = written
    shared.isInserted = false
    // A once insert is of one record.
    shared.onceInserts = []
    shared.registers = written.registers.filter { !$0.isOnce }.filter { register in
      rules.uniqueOrdinals.contains(register.ordinal)
        || rules.groups[register.ordinal]?.contains(where: rules.uniqueOrdinals.contains) ?? false
    }
    if shared.registers.isEmpty { shared.touch = nil }
    for id in group.members {
      let key = RecordKey(entity: row.entity, id: id)
      guard id == row.id || !collecting.named.contains(key), var member = try member(key) else { continue }
      let restatement = collecting.restated[key]
      var facts = id == row.id || restatement != nil ? written : shared
      facts.id = id
      if id == row.id, !records[slot].isInsertedHere { facts.isInserted = member.facts.isInserted }
      // The other records of its row stand for its life, and for effects that had inserted it. The delete that it has
      // outlived is on its row, and no word of this save.
      if let restatement {
        facts.isInserted = true
        member.facts.onceInserts = []
        member.facts.deleted = max(member.facts.deleted ?? .zero, restatement.deleted)
      }
      if member.join(facts, uniqueOrdinals: rules.uniqueOrdinals) { noteClaimant(key) }
      equality.members[key] = member
      let says = facts.touch != nil || facts.deleted != nil || !facts.registers.isEmpty
      if id != row.id, says { say(facts) }
    }
  }

  /// Keeps the unique values that a record on its own gives up.
  private func rememberOverwritten(_ slot: Int) throws {
    let rules = rules(of: slot)
    guard !rules.uniquePositions.isEmpty, let original = records[slot].original else { return }
    let overwritten = original.registers.filter { register in
      rules.uniqueOrdinals.contains(register.ordinal)
        && records[slot].facts.register(at: register.ordinal)?.stamp != register.stamp
    }
    let isNewlyInserted = records[slot].facts.isInserted && !original.isInserted
    guard !overwritten.isEmpty || isNewlyInserted, var member = try member(records[slot].key) else { return }
    for register in overwritten { _ = member.remember(register) }
    member.facts = records[slot].facts
    equality.members[member.key] = member
    if isNewlyInserted { noteClaimant(member.key) }
  }

  func noteClaimant(_ key: RecordKey) { equality.claimants.append(key) }

  /// Takes over overwritten values of records whose facts are merged.
  ///
  /// Throws `invalidRequest` for one that nothing newer has overwritten.
  func remember(_ writes: [RecordPastWrite]) throws {
    for past in writes {
      let key = try memberKey(RecordKey(entity: past.entity, id: past.id))
      guard layout.rules[key.entity].uniqueOrdinals.contains(past.write.ordinal), var member = try member(key) else {
        continue
      }
      guard let now = member.facts.register(at: past.write.ordinal), past.write.stamp < now.stamp else {
        throw StoreError(
          .invalidRequest,
          "what is to be loaded calls a value of record \(past.id) overwritten that nothing newer has overwritten: "
            + "make the file anew from its store")
      }
      if member.remember(past.write.register) { noteClaimant(key) }
      equality.members[key] = member
    }
  }
}
