import LMDB

/// A user's changes become facts with the transaction's stamp, which is above every stamp seen: each write
/// wins, so registers are simply set.
extension CommitSession {
  func apply(_ change: RecordChange) throws {
    switch change {
    case .insert(let entity, let id, let fields): try insert(entity, id, fields)
    case .update(let entity, let id, let fields): try update(entity, id, fields)
    case .link(let entity, let id, let relationship, let other, let isLinked):
      try link(entity, id, relationship, other, isLinked: isLinked)
    case .delete(let entity, let id): try delete([RecordKey(entity: entity, id: id)])
    }
  }

  func declaredRules(of entity: EntityNumber) throws -> EntityRules {
    guard layout.rules.indices.contains(entity), layout.rules[entity].entity.isDeclared else {
      throw StoreError(.invalidRequest, "the store has no declared entity with number \(entity)")
    }
    return layout.rules[entity]
  }
}

// Inserts.
extension CommitSession {
  private func insert(_ entity: EntityNumber, _ id: RecordID, _ fields: [FieldWrite]) throws {
    let rules = try declaredRules(of: entity)
    let fields = try canonicalized(fields, rules.entity)
    let registers = try completed(fields, rules.entity)
    var facts = RecordFacts(entity: entity, id: id, isInserted: true, registers: registers)
    if let once = terms.once {
      facts.onceInserts = [RecordFacts.OnceInsert(keyHash: once.hash, stamp: stamp)]
    } else {
      facts.touch = stamp
    }
    try refuseDeadTargets(fields, rules)
    let claims = try claims(of: facts)
    if let holder = try claims.lazy.compactMap({ try self.localHolder(of: $0, except: id) }).first {
      if !terms.strictIndexes.isEmpty { try refuseDuplicates(of: claims, id, rules) }
      try upsert(fields, into: holder, insteadOf: id, rules)
      return
    }
    let slot = try enter(facts)
    for claim in claims { claimed[claim, default: []].append(slot) }
    try displaceOtherHolders(of: slot, ordinals: rules.references.map(\.ordinal))
  }

  private func enter(_ facts: RecordFacts) throws -> Int {
    let key = RecordKey(entity: facts.entity, id: facts.id)
    let known = try isFresh(facts.id, entity: facts.entity) ? slots[key] : slot(of: facts.id, entity: facts.entity)
    guard let known else {
      let slot = add(WorkingRecord(new: facts), key: key)
      noteReferences(of: slot)
      records[slot].isInsertedHere = true
      records[slot].isWrittenHere = true
      enqueue(slot)
      return slot
    }
    // The id is known already, of a record that was deleted or only heard of: all its fields are written, but those
    // of a once insert that somebody wrote since another device ran the key.
    let deletedBefore = records[known].original?.deleted
    let earlier = records[known].facts
    changeFacts(of: known) { known in
      // Within one save the order counts: this insert takes an earlier delete back.
      if known.deleted == stamp { known.deleted = deletedBefore }
      known.isInserted = true
      known.touch = facts.touch ?? known.touch
      known.join(facts.onceInserts)
      for register in facts.registers where !register.isOnce || known.register(at: register.ordinal)?.isOnce ?? true {
        known.set(register.value, at: register.ordinal, stamp: register.stamp, isOnce: register.isOnce)
      }
    }
    records[known].isInsertedHere = true
    records[known].isWrittenHere = true
    // A target that this record gives up may fall to others, and one that it kept alive may go.
    try reconsiderTargets(of: known, mayDrop: true)
    try reconsiderRivals(of: known, earlier: earlier)
    try reconsiderSuperseded(by: known, earlier: earlier)
    return known
  }

  /// Refusals decide over updates where a record has several unique keys.
  private func refuseDuplicates(of claims: [ClaimKey], _ id: RecordID, _ rules: EntityRules) throws {
    for claim in claims where terms.strictIndexes.contains(claim.index) {
      if try localHolder(of: claim, except: id) != nil { throw duplicate(rules) }
    }
  }

  func duplicate(_ rules: EntityRules) -> StoreError {
    StoreError(
      .uniquenessViolation,
      "a record of \(rules.entity.name) with the same unique value exists already: change the "
        + "value, or update that record")
  }

  private func upsert(
    _ fields: [FieldWrite], into holder: Int, insteadOf id: RecordID, _ rules: EntityRules
  ) throws {
    guard terms.policy == .upsert else { throw duplicate(rules) }
    if division.passed != nil {
      // Records that were taken with a reference to the id: the rules decide whose it is now.
      for reference in rules.incoming { _ = try currentHolders(of: id, reference) }
    }
    remapped[id] = records[holder].facts.id
    if !records[holder].facts.isInserted {
      changeFacts(of: holder) { $0.isInserted = true }
      records[holder].isInsertedHere = true
    }
    try write(fields, to: holder, rules)
  }

  /// Every declared field: as given, else its default; of the sparse ones those that are given.
  private func completed(
    _ fields: [FieldWrite], _ entity: CatalogueEntity
  ) throws -> [RecordFacts.Register] {
    var registers: [RecordFacts.Register] = []
    registers.reserveCapacity(entity.fields.count)
    var next = fields.startIndex
    for field in entity.fields where field.isDeclared {
      var value = field.valueWhenAbsent
      if next < fields.endIndex, fields[next].ordinal == field.ordinal {
        value = fields[next].value
        next += 1
      } else if field.isSparse {
        continue
      }
      if value == .null, !field.isOptional { throw missing(field, entity) }
      registers.append(
        RecordFacts.Register(ordinal: field.ordinal, value: value, stamp: stamp, isOnce: terms.once != nil))
    }
    return registers
  }

  /// The writes in order of their ordinals, checked against the catalogue, references by canonical id.
  private func canonicalized(_ fields: [FieldWrite], _ entity: CatalogueEntity) throws -> [FieldWrite] {
    var fields = fields
    var last = -1
    var isRising = true
    for index in fields.indices {
      let ordinal = fields[index].ordinal
      guard entity.fields.indices.contains(ordinal), entity.fields[ordinal].isDeclared else {
        throw StoreError(.invalidRequest, "\(entity.name) has no declared field with ordinal \(ordinal)")
      }
      try check(fields[index].value, entity.fields[ordinal], entity)
      if case .reference(let target) = fields[index].value {
        fields[index].value = .reference(try resolved(target))
      }
      if ordinal <= last { isRising = false }
      last = ordinal
    }
    guard !isRising else { return fields }
    // The last of several writes of one field counts.
    let latest = Dictionary(fields.map { ($0.ordinal, $0) }, uniquingKeysWith: { _, last in last })
    return latest.values.sorted { $0.ordinal < $1.ordinal }
  }

  /// The record that an id stands for, also where an insert earlier in the request became an update.
  func resolved(_ id: RecordID) throws -> RecordID { try canonical(remapped[id] ?? id) }

  private func check(_ value: FieldValue, _ field: CatalogueField, _ entity: CatalogueEntity) throws {
    guard let type = value.type else {
      if field.isOptional { return }
      throw missing(field, entity)
    }
    guard type == field.type else {
      throw StoreError(
        .invalidRequest, "\(entity.name).\(field.name) is of type \(field.type) and cannot take a value of type \(type)"
      )
    }
  }

  private func missing(_ field: CatalogueField, _ entity: CatalogueEntity) -> StoreError {
    StoreError(.invalidRequest, "\(entity.name).\(field.name) is required: give it a value")
  }
}

// Updates.
extension CommitSession {
  private func update(_ entity: EntityNumber, _ id: RecordID, _ fields: [FieldWrite]) throws {
    let rules = try declaredRules(of: entity)
    let slot = try slot(of: resolved(id), entity: entity)
    if terms.keepsUnknownUpdates,
      slot.map({ !records[$0].facts.isInserted && records[$0].facts.deleted == nil }) ?? true
    {
      return try keep(try canonicalized(fields, rules.entity), of: RecordKey(entity: entity, id: resolved(id)))
    }
    // An earlier change of this save may have made it visible.
    if let slot, try !isChangeable(slot) { try settle() }
    guard let slot, try isChangeable(slot) else {
      if terms.dropsUpdatesOfLeaving, let slot, records[slot].wasVisible {
        return try update(leaving: slot, fields, rules)
      }
      throw StoreError(
        .recordNotFound, "the record \(id) of \(rules.entity.name) is gone, somebody deleted it: fetch again")
    }
    try write(try canonicalized(fields, rules.entity), to: slot, rules)
  }

  /// A record that goes along with another one's delete stays if it is taken from there. Values alone do not keep it.
  private func update(leaving slot: Int, _ fields: [FieldWrite], _ rules: EntityRules) throws {
    leaving.updates[slot, default: []] += fields
    guard records[slot].facts.deleted != stamp else { return }
    for write in fields where rules.isMissing(write) {
      // Without what it needs it must go for another reason than that it had it.
      leaving.released[slot, default: []].insert(write.ordinal)
      if try !goesWithThisSave(slot) { throw missing(rules.entity.fields[write.ordinal], rules.entity) }
    }
    guard rules.moves(fields.filter { !rules.isMissing($0) }) else { return }
    let all = leaving.updates.removeValue(forKey: slot) ?? []
    try write(try canonicalized(all, rules.entity), to: slot, rules)
  }

  /// A record that seemed to go may stay because what it goes along with was given another place since.
  func writeUpdatesOfStaying() throws {
    for slot in inKeyOrder(leaving.updates.keys) where try isChangeable(slot) {
      let all = leaving.updates.removeValue(forKey: slot) ?? []
      try write(try canonicalized(all, rules(of: slot).entity), to: slot, rules(of: slot))
    }
    try settle()
  }

  /// The last links of a record that goes tell what it would take with it, or ask for.
  func writeLastLinks(ofLeaving slot: Int) throws {
    let rules = rules(of: slot)
    let links = (leaving.updates[slot] ?? []).filter { rules.isFollowedByDelete($0.ordinal) }
    // Where one must be, none cannot be written; the record goes with the link that it had, and lets its target stay.
    leaving.released[slot, default: []].formUnion(links.lazy.filter(rules.isMissing).map(\.ordinal))
    let written = links.filter { !rules.isMissing($0) }
    if !written.isEmpty { try write(try canonicalized(written, rules.entity), to: slot, rules) }
  }

  /// Notes values of a record that is known by name alone; it shows when its insert arrives.
  private func keep(_ fields: [FieldWrite], of key: RecordKey) throws {
    let known = try slot(of: key.id, entity: key.entity)
    let slot = known ?? add(WorkingRecord(new: RecordFacts(entity: key.entity, id: key.id)), key: key)
    changeFacts(of: slot) { facts in
      facts.touch = stamp
      for write in fields { facts.set(write.value, at: write.ordinal, stamp: stamp) }
    }
  }

  /// Whether this save may write or delete a record: one that readers see, or that it inserted. An earlier change
  /// of the same save that took what the record cannot be without is nobody else's delete; the end of the save is
  /// judged instead.
  func isChangeable(_ slot: Int) throws -> Bool {
    let record = records[slot]
    if record.isVisible { return true }
    guard record.facts.deleted != stamp else { return false }
    return try record.isInsertedHere || record.wasVisible && !goesWithThisSave(slot)
  }

  /// Writes what differs from what readers see; fields of a group go together.
  func write(_ fields: [FieldWrite], to slot: Int, _ rules: EntityRules) throws {
    var ordinals: Set<Int> = []
    var values: [FieldWrite] = []
    for write in fields {
      let known = assumedValue(of: slot, rules.entity.fields[write.ordinal])
      if known.isIdentical(asStored: write.value) { continue }
      if let newFields = terms.newFields, newFields.protects(records[slot].facts, write.ordinal) { continue }
      ordinals.insert(write.ordinal)
      values.append(write)
    }
    guard !values.isEmpty || records[slot].facts.life == nil else { return }
    try refuseDeadTargets(values, rules)
    for group in ordinals.sorted().compactMap({ rules.groups[$0] }) {
      for ordinal in group where ordinals.insert(ordinal).inserted {
        values.append(FieldWrite(ordinal, value(of: slot, rules.entity.fields[ordinal])))
      }
    }
    try takeBackHolders(of: values, for: slot, rules)
    let earlier = records[slot].facts
    writeNow(values, to: slot)
    // A written field reads as written until all has settled.
    records[slot].dangling.removeAll { ordinals.contains($0) }
    records[slot].isWrittenHere = true
    try noteClaims(of: slot)
    try displaceOtherHolders(of: slot, ordinals: values.map(\.ordinal))
    // A target that this record gives up may fall to another that had lost it.
    try reconsiderRivals(of: slot, earlier: earlier)
    try reconsiderSuperseded(by: slot, earlier: earlier)
    if rules.references.contains(where: { ordinals.contains($0.ordinal) && ($0.isCascade || $0.isDeny) }) {
      try reconsiderTargets(of: slot, mayDrop: true)
    }
  }

  /// A new record that was taken with a value that this write sets has it first: the rules decide between the two.
  private func takeBackHolders(of values: [FieldWrite], for slot: Int, _ rules: EntityRules) throws {
    guard division.passed != nil, values.contains(where: { rules.uniqueOrdinals.contains($0.ordinal) }) else { return }
    var facts = records[slot].facts
    for write in values { facts.set(write.value, at: write.ordinal, stamp: stamp) }
    for claim in try claims(of: facts) { _ = try holders(of: claim) }
  }

  /// Sets registers with this save's stamp, and the touch. A once transaction's writes to its own inserts belong to
  /// the insert.
  private func writeNow(_ values: [FieldWrite], to slot: Int) {
    let isOnce = terms.once != nil && records[slot].facts.onceInserts.contains { $0.stamp == stamp }
    changeFacts(of: slot) { facts in
      if !isOnce, terms.givesLife || facts.life == nil { facts.touch = stamp }
      for write in values { facts.set(write.value, at: write.ordinal, stamp: stamp, isOnce: isOnce) }
    }
  }

  /// By the rules of merging, a new child would bring a deleted parent back, with all that was below it. The
  /// author of a local save can be asked instead.
  private func refuseDeadTargets(_ fields: [FieldWrite], _ rules: EntityRules) throws {
    for rule in rules.references where rule.hides || rule.isDeny {
      guard case .reference(let id)? = fields.first(where: { $0.ordinal == rule.ordinal })?.value,
        try !isVisible(id, among: rule.targets), let target = try slot(of: id, among: rule.targets),
        // The references of a record that this save has made were looked at: a chain is not walked up for each.
        !records[target].isInsertedHere || records[target].original != nil || records[target].facts.deleted != nil,
        try isDead(target), try !goesWithThisSave(target)
      else { continue }
      throw StoreError(
        .recordNotFound,
        "\(title(of: rule, rules)) names a record that somebody deleted: fetch again and choose another")
    }
  }

  /// The value of a field that readers see now.
  func value(of slot: Int, _ field: CatalogueField) -> FieldValue {
    if records[slot].dangling.contains(field.ordinal) { return .null }
    return records[slot].facts.value(of: field)
  }

  /// The value that a later change of this save is compared with: what this save wrote, even if readers will see nil
  /// for it, else what they see.
  private func assumedValue(of slot: Int, _ field: CatalogueField) -> FieldValue {
    let isWrittenNow = records[slot].facts.register(at: field.ordinal)?.stamp == stamp
    return isWrittenNow ? records[slot].facts.value(of: field) : value(of: slot, field)
  }
}

extension CommitSession {
  /// Says that a record is alive, without a new value.
  func touch(_ touch: MigrationWork.Touch) throws {
    guard let slot = try slot(of: touch.key.id, entity: touch.key.entity) else { return }
    let fields = rules(of: slot).entity.fields
    let said = try restatable(records[slot].facts, of: slot)
    changeFacts(of: slot) { facts in
      facts.touch = stamp
      for ordinal in touch.saysAgain { facts.set(said.value(of: fields[ordinal]), at: ordinal, stamp: stamp) }
    }
    records[slot].isWrittenHere = true
    for id in touch.deletedEquals { try leave(id, rules(of: slot)) }
  }

  /// Writes nil for references that read nil already.
  func release(_ release: MigrationWork.Release) throws {
    guard let slot = try slot(of: release.key.id, entity: release.key.entity), records[slot].isVisible else { return }
    // A nil would not be written over what reads nil.
    records[slot].dangling.removeAll { release.ordinals.contains($0) }
    try write(release.ordinals.map { FieldWrite($0, .null) }, to: slot, rules(of: slot))
  }

  /// Deletes what is hidden with a deleted record, and takes away all references to it: they would lead to its equal,
  /// and in unique keys mean that one.
  private func leave(_ deleted: RecordID, _ rules: EntityRules) throws {
    for reference in rules.incoming {
      for holder in try currentHolders(of: deleted, reference) {
        if reference.rule.hides, !records[holder].isVisible {
          changeFacts(of: holder) { facts in
            facts.deleted = stamp
            facts.set(.null, at: reference.rule.ordinal, stamp: stamp)
          }
        } else if !reference.rule.hides, records[holder].isVisible {
          writeNow([FieldWrite(reference.rule.ordinal, .null)], to: holder)
        } else {
          continue
        }
        records[holder].isWrittenHere = true
      }
    }
  }
}

// Links of many-to-many relationships.
extension CommitSession {
  private func link(
    _ entity: EntityNumber, _ id: RecordID, _ name: String, _ other: RecordID, isLinked: Bool
  ) throws {
    let rules = try declaredRules(of: entity)
    guard case .join(let join, let near, _)? = rules.entity.relationship(named: name)?.storage else {
      throw StoreError(.invalidRequest, "\(rules.entity.name).\(name) is not a many-to-many relationship")
    }
    let (first, second) = (try resolved(id), try resolved(other))
    let (left, right) = near == 0 ? (first, second) : (second, first)
    let linkID = JoinRecord.id(of: layout.catalogue.entities[join].name, left: left, right: right)
    guard isLinked else { return try unlink(left, right, linkID, join) }
    let known = try slot(of: linkID, entity: join)
    if let known, records[known].isVisible { return }
    try insert(join, linkID, [FieldWrite(0, .reference(left)), FieldWrite(1, .reference(right))])
  }

  /// Deletes a link. Where one of the two ends is several records that are one, it may have been made between others of
  /// them, and lie under the id that followed from those.
  private func unlink(_ left: RecordID, _ right: RecordID, _ linkID: RecordID, _ join: EntityNumber) throws {
    try delete([RecordKey(entity: join, id: linkID)])
    guard side.hasAliases else { return }
    let registers = [left, right].enumerated().map {
      RecordFacts.Register(ordinal: $0.offset, value: .reference($0.element), stamp: stamp, isOnce: false)
    }
    let link = RecordFacts(entity: join, id: linkID, isInserted: true, registers: registers)
    for claim in try claims(of: link) {
      while let other = try holders(of: claim).first(where: { records[$0].isVisible }) {
        try delete([records[other].key])
        if records[other].isVisible { break }
      }
    }
  }
}

// Every change of facts goes through here.
extension CommitSession {
  /// Changes the facts of a record and puts whatever that may concern on the queue.
  func changeFacts(of slot: Int, _ body: (inout RecordFacts) -> Void) {
    let before = changedHolders == nil && settling.walked.isEmpty ? nil : references(of: slot)
    let containing = layout.hasContainingRules ? containingRegisters(of: slot) : []
    body(&records[slot].facts)
    let after = before == nil ? nil : references(of: slot)
    settling.forgetLooks(leadsOn: before == after)
    if layout.hasContainingRules, containingRegisters(of: slot) != containing {
      noteContainment(of: slot, before: containing)
    }
    records[slot].isDirty = true
    noteFormerHolder(slot)
    if let before, let after {
      // By field: a record that has referred to the target before may do so by another reference now.
      for (ordinal, target) in after where before[ordinal] != target { noteHolder(slot, of: target) }
    }
    enqueue(slot)
  }

  func noteReferences(of slot: Int) {
    settling.forgetLooks(leadsOn: true)
    if layout.hasContainingRules, !containingRegisters(of: slot).isEmpty { noteContainment(of: slot, before: []) }
    guard changedHolders != nil else { return }
    for target in references(of: slot).values { noteHolder(slot, of: target) }
  }

  /// The targets by field.
  private func references(of slot: Int) -> [Int: RecordID] {
    var found: [Int: RecordID] = [:]
    for rule in rules(of: slot).references { found[rule.ordinal] = records[slot].facts.reference(at: rule.ordinal) }
    return found
  }
}
