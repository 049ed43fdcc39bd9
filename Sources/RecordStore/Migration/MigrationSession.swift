import LMDB

/// A migration under way: steps from one schema to the next, all in one transaction.
///
/// Belongs to the thread that writes and ends with the closure that got it. If the closure throws, the process dies, or
/// the migration is a dry run, the store is as it was.
package final class MigrationSession {
  /// The store as the steps so far have left it. It is read and saved to as ever; what it saves is a system's write:
  /// it sets values and gives no life to what somebody else deleted meanwhile.
  package let store: RecordStore
  private let migration: OpenWrite
  private let backUp: () throws -> Void
  package private(set) var steps: [MigrationStep] = []

  init(_ migration: OpenWrite, store: RecordStore, backUp: @escaping () throws -> Void) {
    self.store = store
    self.migration = migration
    self.backUp = backUp
  }

  package var catalogue: Catalogue { migration.layout.catalogue }

  /// Automatic steps only. Throws `incompatibleSchema` if they do not lead there.
  ///
  /// - Parameter goesBack: whether a stage of the app's own leads to the schema, which may be of an older version then.
  package func advance(to schema: StoreSchema, goesBack: Bool = false) throws {
    if goesBack { try noteWayBack(to: schema) }
    // Links that move into a required relationship are there before it is required.
    let roomy = schema.withRoomForLinks(after: catalogue)
    if roomy != schema, try movesLinks(to: roomy, goesBack) { try changeAtOnce(to: roomy, goesBack) }
    try changeAtOnce(to: schema, goesBack)
  }

  private func movesLinks(to schema: StoreSchema, _ goesBack: Bool) throws -> Bool {
    let next = try CatalogueBuilder.build(schema, onto: catalogue, replacesTypes: false, goesBack: goesBack)
    return !LinkMoves(from: catalogue, to: next, by: schema).isEmpty
  }

  private func changeAtOnce(to schema: StoreSchema, _ goesBack: Bool) throws {
    let migrated = try change(to: schema, replacesTypes: false, goesBack: goesBack)
    try migration.write { transaction, layout throws in
      try migrated?.dropIndexes(in: transaction)
      return ((), layout)
    }
  }

  /// A step that the app's own code takes part in: `prepare` before the schema changes; `complete` afterwards, with
  /// the store as it was before, to read from.
  ///
  /// While `complete` runs, new constraints do not hold yet: it may fill what becomes required and tell apart what
  /// becomes unique. A property whose type changes begins with its default.
  package func advance(
    to schema: StoreSchema, prepare: () throws -> Void, complete: (_ past: RecordStore) throws -> Void
  ) throws {
    let from = catalogue.schemaVersion
    try backUp()
    steps.append(.customStage(from: from, to: schema.version))
    try Interruption.point("before a stage prepares")
    try prepare()
    try migration.throwFailure()
    let past = migration.layout
    let relaxed = schema.relaxed(after: past.catalogue)
    try Interruption.point("before a stage changes the schema")
    let goesBack = try noteWayBack(to: schema)
    let (began, gaveUp, laterWriters) = try store.read { snapshot in
      (try snapshot.clockStamp, try FormerFields(snapshot).stamps, try LaterWriters(snapshot).beginnings)
    }
    let migrated = try change(to: relaxed, replacesTypes: true, goesBack: true)
    if !goesBack {
      migration.newFields = NewFields(
        from: past.catalogue, to: catalogue, began: began, gaveUp: gaveUp, laterWriters: laterWriters)
    }
    defer { migration.newFields = nil }
    try Interruption.point("before a stage completes")
    try complete(store.inside(migration, past: past))
    try migration.throwFailure()
    try Interruption.point("before a stage tightens the schema")
    try advance(to: schema)
    try migration.write { transaction, layout throws in
      try migrated?.dropIndexes(in: transaction)
      var catalogue = layout.catalogue
      catalogue.leastVersion = max(catalogue.leastVersion ?? schema.version, schema.version)
      guard catalogue != layout.catalogue else { return ((), layout) }
      catalogue.generation += 1
      return ((), try StoreLayout.create(catalogue, in: transaction))
    }
  }

  /// Whether a schema is older than the store's; then the moment is kept.
  @discardableResult
  private func noteWayBack(to schema: StoreSchema) throws -> Bool {
    guard schema.version < catalogue.schemaVersion else { return false }
    let wayBack = WayBack(try store.read { try $0.clockStamp })
    try migration.write { transaction, layout throws in
      try wayBack.write(layout, in: transaction)
      return ((), layout)
    }
    return true
  }

  /// Nil if nothing changes.
  private func change(to schema: StoreSchema, replacesTypes: Bool, goesBack: Bool) throws -> Migration? {
    let current = catalogue
    let next = try CatalogueBuilder.build(schema, onto: current, replacesTypes: replacesTypes, goesBack: goesBack)
    guard next != current else { return nil }
    try mergeEqualRecords(for: next)
    try keepEqualsOfDeletedRecords(for: next)
    try keepRecordsOfDeletedTargets(for: next)
    let migration = Migration(from: migration.layout, to: next)
    let links = try linkChanges(by: schema, to: next, refuses: !replacesTypes)
    let steps = try store.read { snapshot in
      try MigrationStep.steps(from: current, to: next) { try migration.nullCount(of: $0, $1, snapshot.transaction) }
    }
    if steps.contains(where: \.changesRecords) || !links.isEmpty { try backUp() }
    self.steps += steps
    try self.migration.write { transaction, _ throws in ((), try migration.run(in: transaction)) }
    try noteFormerFields(from: current)
    if !links.isEmpty { try move(links) }
    return migration
  }

  /// Keeps the moment at which the schema gives up fields.
  private func noteFormerFields(from old: Catalogue) throws {
    var (former, stamp) = try store.read { (try FormerFields($0), try $0.clockStamp) }
    guard former.note(from: old, to: catalogue, at: stamp) else { return }
    try migration.write { [former] transaction, layout throws in
      try former.write(layout, in: transaction)
      return ((), layout)
    }
  }

  private func linkChanges(by schema: StoreSchema, to next: Catalogue, refuses: Bool) throws -> [RecordChange] {
    let moves = LinkMoves(from: catalogue, to: next, by: schema)
    guard !moves.isEmpty else { return [] }
    return try store.read { try moves.changes($0, refuses: refuses) }
  }

  private func move(_ links: [RecordChange]) throws {
    _ = try store.commit { snapshot in
      // New rules may have hidden records.
      let changes = try links.filter { try LinkMoves.concernsRecords($0, snapshot) }
      return (SaveRequest(author: "migration", .migration(MigrationWork(LocalWork(changes: changes)))), ())
    }
  }

  private func mergeEqualRecords(for next: Catalogue) throws {
    // Merging two purchases makes their credits equal: look again until nothing is.
    while true {
      let merge = UniqueMerge(layout: migration.layout, catalogue: next)
      let groups = try store.read { snapshot in try merge.groups(snapshot.transaction) }
      guard !groups.isEmpty else { return }
      guard store.configuration.uniqueness == .upsert else {
        throw StoreError(
          .incompatibleSchema,
          "records of \(next.entities[groups[0].entity].name) share a value that the schema declares unique: make the "
            + "values differ, then open the store with this schema")
      }
      try backUp()
      for group in groups { try perform(group, merge, next) }
    }
  }

  private func keepEqualsOfDeletedRecords(for next: Catalogue) throws {
    let merge = UniqueMerge(layout: migration.layout, catalogue: next)
    var work = MigrationWork()
    work.touches = try store.read { snapshot in try merge.survivors(snapshot) }
    guard !work.touches.isEmpty else { return }
    _ = try store.commit(SaveRequest(author: "migration", .migration(work)))
  }

  private func keepRecordsOfDeletedTargets(for next: Catalogue) throws {
    let references = DeadReferences(layout: migration.layout, rules: EntityRules.all(of: next))
    var work = MigrationWork()
    work.releases = try store.read { snapshot in try references.releases(snapshot) }
    guard !work.releases.isEmpty else { return }
    try backUp()
    _ = try store.commit(SaveRequest(author: "migration", .migration(work)))
  }

  private func perform(_ group: UniqueMerge.Group, _ merge: UniqueMerge, _ next: Catalogue) throws {
    let store = store
    let (members, partners, links) = try store.read { snapshot in
      let facts = try ([group.kept] + group.others).compactMap { try snapshot.shownFacts($0, of: group.entity) }
      return (facts, try merge.partners(of: group, snapshot), try merge.links(for: group, snapshot))
    }
    do {
      _ = try store.commit { snapshot in (try merge.deletion(of: group, snapshot), ()) }
      _ = try store.commit(merge.adoption(by: group, members, partners, links))
    } catch let error as StoreError where error.code == .invalidRequest || error.code == .countViolation {
      throw StoreError(
        .incompatibleSchema,
        "records of \(next.entities[group.entity].name) share a value that the schema declares unique, and cannot "
          + "become one (\(error.message)): merge them in a stage of a migration plan", cause: error)
    }
    steps.append(
      .mergedRecords(entity: next.entities[group.entity].name, kept: group.kept, merged: group.others))
  }
}

extension StoreSchema {
  /// The schema without what it demands beyond a store's: for the time in which an app's code makes it true.
  fileprivate func relaxed(after catalogue: Catalogue) -> StoreSchema {
    var schema = withRoomForLinks(after: catalogue)
    forEachKnown(in: catalogue) { index, known, field in
      let definition = schema.entities[index]
      for place in definition.attributes.indices where !definition.attributes[place].isOptional {
        let attribute = definition.attributes[place]
        let before = field(attribute.name)
        if before?.isOptional == true, attribute.defaultValue == nil {
          schema.entities[index].attributes[place].isOptional = true
        }
      }
      schema.entities[index].uniquenessConstraints.removeAll { constraint in
        let before = constraint.map { field($0)?.name }
        // A field of another type begins with its default, in all records alike.
        let isRetyped = constraint.contains { name in
          definition.attributes.contains { $0.name == name && $0.type != field(name)?.type }
        }
        return isRetyped
          || !known.indexes.contains { index in
            index.isUnique && index.components.map { known.fields[$0.ordinal].name } == before
          }
      }
    }
    return schema
  }

  /// The schema without the demand that relationships have a target which needed none, or were not there.
  fileprivate func withRoomForLinks(after catalogue: Catalogue) -> StoreSchema {
    var schema = self
    forEachKnown(in: catalogue) { index, _, field in
      for place in entities[index].relationships.indices where !entities[index].relationships[place].isOptional {
        let before = field(entities[index].relationships[place].name)
        if before?.isOptional != false || before?.type != .reference {
          schema.entities[index].relationships[place].isOptional = true
        }
      }
    }
    return schema
  }

  /// Calls `body` with each entity that a store has already, and with what tells a property's former field there.
  private func forEachKnown(
    in catalogue: Catalogue,
    _ body: (_ index: Int, _ known: CatalogueEntity, _ field: (String) -> CatalogueField?) -> Void
  ) {
    let entityNames = catalogue.nameChanges(by: self)
    for (index, definition) in entities.enumerated() {
      guard let known = catalogue.entity(for: definition, entityNames), known.isDeclared else { continue }
      let names = known.nameChanges(by: definition)
      body(index, known) { name in names.formerName(of: name).flatMap { known.field(named: $0) } }
    }
  }
}

extension StoreSnapshot {
  /// The facts of a record, with nil for each one-to-one reference whose target another record has: written again, it
  /// would take that back.
  fileprivate func shownFacts(_ id: RecordID, of entity: EntityNumber) throws -> RecordFacts? {
    guard var facts = try facts(id, of: entity) else { return nil }
    for lost in try RecordStandings(in: self).lostReferences(of: id, entity: entity) {
      facts.set(.null, at: lost.ordinal, stamp: lost.stamp)
    }
    return facts
  }
}
