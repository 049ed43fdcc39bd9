import LMDB

/// Brings the tables of a store to a new catalogue, inside one write transaction.
///
/// What only adds (entities, optional fields, indexes) costs nothing or one pass over an entity. Where the
/// rules of an entity change, everything derived from its facts is dropped and worked out anew from the
/// facts alone, by the same code that settles a commit.
struct Migration {
  private let old: StoreLayout
  private let catalogue: Catalogue

  init(from old: StoreLayout, to catalogue: Catalogue) {
    self.old = old
    self.catalogue = catalogue
  }

  /// The indexes that the new catalogue has no more keep their entries: somebody may still want to look back.
  func run(in transaction: borrowing WriteTransaction) throws -> StoreLayout {
    let new = try StoreLayout.create(catalogue, in: transaction)
    let difference = CatalogueDifference(old: old, new: new)
    try GivenAliases.adoptAll(new, in: transaction)
    let rebuilt = try difference.rebuiltEntities.filter { try holdsRecords($0, transaction.view) }
    for entity in rebuilt {
      try refuseMissingReferences(entity, difference)
      for field in difference.tightenedFields(of: entity) where field.type == .reference || field.defaultValue == nil {
        guard try nullCount(of: entity, field.ordinal, transaction.view) > 0 else { continue }
        throw missing(field, catalogue.entities[entity].name)
      }
    }
    for (entity, index) in difference.addedIndexes where !rebuilt.contains(entity) {
      try build(index, of: entity, new, in: transaction)
    }
    if !rebuilt.isEmpty { try rebuild(rebuilt, new, in: transaction) }
    try noteProvisionalKeys(new, difference, in: transaction)
    return new
  }

  /// Makes the index entries of entities anew, and all else that is derived from the values of their keys.
  func renewKeys(of entities: Set<EntityNumber>, in transaction: borrowing WriteTransaction) throws {
    let known = entities.filter(catalogue.entities.indices.contains).sorted()
    try rebuild(known, old, in: transaction)
  }

  /// A new index over values of which some have not come has entries that are made of their names.
  private func noteProvisionalKeys(
    _ new: StoreLayout, _ difference: CatalogueDifference, in transaction: borrowing WriteTransaction
  ) throws {
    guard catalogue.hasExternalValues else { return }
    let snapshot = StoreSnapshot(transaction: transaction.view, layout: new)
    let concerned = try difference.addedIndexes.filter { entity, index in
      try index.isOverData(of: catalogue.entities[entity]) && holdsRecords(entity, transaction.view)
    }.map(\.entity)
    guard !concerned.isEmpty, try snapshot.listedValues().contains(where: \.isAwaited) else { return }
    let keys = try ProvisionalKeys(snapshot)?.including(concerned) ?? ProvisionalKeys(Set(concerned))
    try keys.write(new, in: transaction)
  }

  /// Empties the indexes that the new catalogue does not have.
  func dropIndexes(in transaction: borrowing WriteTransaction) throws {
    let kept = Set(catalogue.entities.flatMap(\.indexes).map(\.number))
    for number in old.catalogue.entities.flatMap(\.indexes).map(\.number) where !kept.contains(number) {
      try transaction.removeAll(from: old.databases.index(number))
    }
  }

  /// How many visible records read nil for a field.
  func nullCount(of entity: EntityNumber, _ ordinal: Int, _ view: TransactionView) throws -> Int {
    guard old.catalogue.entities.indices.contains(entity) else { return 0 }
    let field = old.catalogue.entities[entity].fields[ordinal]
    var count = 0
    try view.forEachKey(in: old.databases.records[entity], startingWith: []) { _, bytes in
      let record = RecordView(bytes)
      guard record.fieldBytes(at: ordinal) == nil else { return }
      let isDefaulted = record.isDefaulted(at: ordinal, isOptional: field.isOptional)
      if !isDefaulted || field.valueWhenAbsent == .null { count += 1 }
    }
    return count
  }

  private func missing(_ field: CatalogueField, _ entity: String) -> StoreError {
    let remedy =
      field.type == .reference ? "make it optional, or fill it in a stage of a migration plan" : "give it a default"
    return StoreError(
      .incompatibleSchema,
      "\(entity).\(field.name) is optional in the store and required in the schema, and there are records without a "
        + "value: \(remedy)")
  }

  private func holdsRecords(_ entity: EntityNumber, _ view: TransactionView) throws -> Bool {
    if try view.statistics(old.databases.records[entity]).entries > 0 { return true }
    var cursor = try view.cursor(old.databases.hidden)
    let found = try cursor.seek(HiddenTable.prefix(entity)).flatMap { HiddenTable.recordKey($0.key) }
    return found?.entity == entity
  }

  /// Existing records have no value for a new required relationship, and nothing could stand in for it.
  private func refuseMissingReferences(_ entity: EntityNumber, _ difference: CatalogueDifference) throws {
    guard let field = difference.newRequiredReference(of: entity) else { return }
    throw StoreError(
      .incompatibleSchema,
      "\(catalogue.entities[entity].name).\(field.name) is a new required relationship, and there "
        + "are records without it: make it optional, or fill it in two steps")
  }

  private func build(
    _ index: CatalogueIndex, of entity: EntityNumber, _ new: StoreLayout, in transaction: borrowing WriteTransaction
  ) throws {
    let key = IndexKey(index, of: catalogue.entities[entity])
    var changes = IndexChanges(database: new.databases.index(index.number))
    var encoder = KeyEncoder()
    try transaction.view.forEachKey(in: new.databases.records[entity], startingWith: []) { id, bytes in
      guard let id = RecordID(bytes: id) else { return }
      let isUnique = key.encode(RecordView(bytes), id: id, into: &encoder)
      changes.add(encoder, value: isUnique ? id : nil)
    }
    try changes.write(to: transaction)
  }
}

// Working out anew.
extension Migration {
  private struct Known {
    var facts: RecordFacts
    var wasVisible: Bool
  }

  private func rebuild(
    _ entities: [EntityNumber], _ new: StoreLayout, in transaction: borrowing WriteTransaction
  ) throws {
    var known: [Known] = []
    let defaults = Dictionary(uniqueKeysWithValues: entities.map { ($0, formerDefaults(of: $0)) })
    let snapshot = StoreSnapshot(transaction: transaction.view, layout: old)
    for entity in entities {
      try snapshot.forEachStoredFacts(of: entity) { facts, isVisible in
        known.append(Known(facts: repaired(facts, defaults), wasVisible: isVisible))
      }
    }
    for entity in entities { try clear(entity, new, known, in: transaction) }

    // As in a merge, nobody can be asked about unique values: the rules decide which of two records is seen.
    let session = try CommitSession(
      new, transaction.view, SessionTerms(isRestoring: true), expectedCount: known.count)
    let slots = known.map { record in
      session.add(
        WorkingRecord(new: record.facts), key: RecordKey(entity: record.facts.entity, id: record.facts.id))
    }
    for slot in slots {
      try session.noteClaims(of: slot)
      session.enqueue(slot)
    }
    try regroup(entities, slots, session, in: transaction)
    try session.settle()
    // Others may refer to records that are visible no more.
    for (slot, record) in zip(slots, known) where record.wasVisible && !session.records[slot].isVisible {
      let incoming = new.rules[record.facts.entity].incoming
      for holder in try session.holders(of: record.facts.id, incoming: incoming) { session.enqueue(holder) }
    }
    try session.settle()
    for (slot, record) in zip(slots, known) where record.wasVisible && !session.records[slot].isVisible {
      guard hasNewConstraint(record.facts.entity), !session.records[slot].isRemoved, try session.isSuperseded(slot)
      else { continue }
      throw duplicates(record.facts.entity)
    }
    var writer = CommitWriter(session)
    do {
      try writer.write(to: transaction)
    } catch let error as StoreError where error.code == .uniquenessViolation {
      throw duplicates(entities[0])
    }
  }

  /// Works out anew which records are one, and how references are spelled: unique keys and references may have come.
  private func regroup(
    _ entities: [EntityNumber], _ slots: [Int], _ session: CommitSession, in transaction: borrowing WriteTransaction
  ) throws {
    for slot in slots {
      let row = session.records[slot].key
      for id in try session.storedClass(of: row).members {
        let key = RecordKey(entity: row.entity, id: id)
        if try session.member(key) != nil { session.noteClaimant(key) }
      }
      let spelled = try session.spelled(session.records[slot].facts, as: row.id)
      session.changeFacts(of: slot) { $0 = spelled }
    }
    try session.deriveClasses()
    for key in try keys(in: session.tables.heldKeys, transaction.view, where: { isHeldKey($0, of: entities) }) {
      try transaction.delete(session.tables.heldKeys, key: key)
    }
    for (key, member) in session.equality.members where entities.contains(key.entity) {
      session.equality.members[key] = Member(rebuilt: member)
    }
  }

  private func isHeldKey(_ key: RawBytes, of entities: [EntityNumber]) -> Bool {
    let index = Int(key.load(at: 0, as: UInt32.self).byteSwapped & ~(1 << 31))
    return entities.contains { number in
      let known = old.catalogue.entities.indices.contains(number) ? old.catalogue.entities[number].indexes : []
      return (known + catalogue.entities[number].indexes).contains { $0.number == index }
    }
  }

  private func hasNewConstraint(_ entity: EntityNumber) -> Bool {
    let known = old.catalogue.entities.indices.contains(entity) ? old.catalogue.entities[entity].indexes : []
    return catalogue.entities[entity].indexes.contains { $0.isUnique && !known.map(\.number).contains($0.number) }
  }

  /// A new unique constraint would hide all but one of the records that share a value.
  private func duplicates(_ entity: EntityNumber) -> StoreError {
    StoreError(
      .incompatibleSchema,
      "records of \(catalogue.entities[entity].name) share a value that the schema declares unique: make the values "
        + "differ, then open the store with this schema")
  }

  /// A null that is not allowed any more becomes the default under its old stamp, on every device alike. A default that
  /// a record reads and that is another one from now on becomes its value, below every write.
  private func repaired(_ facts: RecordFacts, _ defaults: [EntityNumber: [CatalogueField]]) -> RecordFacts {
    var facts = facts
    for field in defaults[facts.entity] ?? [] where facts.register(at: field.ordinal) == nil {
      facts.set(field.valueWhenAbsent, at: field.ordinal, stamp: .zero)
    }
    for index in facts.registers.indices where facts.registers[index].value == .null {
      let field = catalogue.entities[facts.entity].fields[facts.registers[index].ordinal]
      guard field.isDeclared, !field.isOptional, field.type != .reference else { continue }
      facts.registers[index].value = field.valueWhenAbsent
    }
    return facts
  }

  /// The fields that records without a value read as something, which is something else from now on. Not those of
  /// subclasses: records of other classes have no value of them, whatever they read.
  private func formerDefaults(of entity: EntityNumber) -> [CatalogueField] {
    guard old.catalogue.entities.indices.contains(entity) else { return [] }
    return zip(old.catalogue.entities[entity].fields, catalogue.entities[entity].fields).compactMap { before, after in
      let isOther =
        before.isDeclared && after.isDeclared && !before.isSparse && before.defaultValue != nil
        && before.valueWhenAbsent != after.valueWhenAbsent
      return isOther ? before : nil
    }
  }

  /// Takes away an entity's rows and all that is derived from them.
  private func clear(
    _ entity: EntityNumber, _ new: StoreLayout, _ known: [Known], in transaction: borrowing WriteTransaction
  ) throws {
    try transaction.removeAll(from: new.databases.records[entity])
    for index in catalogue.entities[entity].indexes {
      try transaction.removeAll(from: new.databases.index(index.number))
    }
    for record in known where record.facts.entity == entity && !record.wasVisible {
      let key = RecordKey(entity: entity, id: record.facts.id)
      try transaction.delete(new.databases.hidden, key: HiddenTable.key(key))
    }
    let references = try keys(in: new.databases.backReferences, transaction.view) {
      BackReferenceTable.entry($0)?.holder.entity == entity
    }
    for key in references { try transaction.delete(new.databases.backReferences, key: key) }
    let numbers = Set(old.catalogue.entities[entity].indexes.map(\.number))
    let claims = try keys(in: new.databases.claims, transaction.view) { key in
      numbers.contains(Int(key.load(at: 0, as: UInt32.self).byteSwapped))
    }
    for key in claims { try transaction.delete(new.databases.claims, key: key) }
  }

  private func keys(
    in database: Database, _ view: TransactionView, where isWanted: (RawBytes) -> Bool
  ) throws -> [[UInt8]] {
    var keys: [[UInt8]] = []
    try view.forEachKey(in: database, startingWith: []) { key, _ in
      if isWanted(key) { keys.append(key.copied()) }
    }
    return keys
  }
}
