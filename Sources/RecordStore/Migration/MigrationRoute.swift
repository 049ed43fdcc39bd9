/// The versions of a schema that an app knows, oldest first, and the stages between them: what
/// ``RecordStore/open(_:schema:history:)`` leads a store along.
package struct MigrationHistory: Sendable {
  package struct Stage: Hashable, Sendable {
    /// Positions in ``versions``.
    package var from: Int
    package var to: Int
    /// Whether the app's code takes part.
    package var isCustom: Bool
    package init(from: Int, to: Int, isCustom: Bool) {
      self.from = from
      self.to = to
      self.isCustom = isCustom
    }
  }

  package var versions: [StoreSchema]
  package var stages: [Stage]
  /// The position of the version that the app wants.
  package var target: Int
  /// Carries out the stage at a position of ``stages``, up to and including the change of the schema.
  package var perform: @Sendable (Int, MigrationSession) throws -> Void

  package init(
    versions: [StoreSchema], stages: [Stage], target: Int,
    perform: @escaping @Sendable (Int, MigrationSession) throws -> Void
  ) {
    self.versions = versions
    self.stages = stages
    self.target = target
    self.perform = perform
  }

  /// One step of a route: a stage of the app's, or one that needs none.
  package struct Leg: Hashable, Sendable {
    package var to: Int
    package var stage: Int?
  }

  /// Which of the versions a store has; nil: one that is newer than all that the app wants.
  ///
  /// By shape, because a store that was made before its app counted versions says 1.0.0; of several alike by number.
  /// A store of no known shape begins at the version that it names, or the last one before.
  package func position(of catalogue: Catalogue) -> Int? {
    let alike = versions.indices.filter { CatalogueBuilder.isExact(versions[$0], catalogue) }
    let named = versions.indices.filter { versions[$0].version == catalogue.schemaVersion }
    if let both = alike.first(where: named.contains) ?? alike.last ?? named.first { return both }
    if let last = versions.last, last.version < catalogue.schemaVersion { return nil }
    return versions.indices.last { versions[$0].version < catalogue.schemaVersion } ?? 0
  }

  /// The shortest way along the stages. Between neighbours for which no stage is named, an automatic step is taken, but
  /// never back: there only the app knows what is to become of its objects.
  package func route(from catalogue: Catalogue) -> [Leg] {
    guard let start = position(of: catalogue), start != target else { return [] }
    return route(from: start, isNeighbourAlways: false) ?? route(from: start, isNeighbourAlways: true) ?? []
  }

  /// Whether a stage of the app's own is on the way from a store's schema.
  package func runsCode(from catalogue: Catalogue) -> Bool {
    route(from: catalogue).contains { $0.stage.map { stages[$0].isCustom } ?? false }
  }

  private func route(from start: Int, isNeighbourAlways: Bool) -> [Leg]? {
    let span = min(start, target)...max(start, target)
    var ways: [Int: [Leg]] = [start: []]
    var open = [start]
    while !open.isEmpty {
      let position = open.removeFirst()
      if position == target { return ways[position] }
      let legs = start < target ? legs(from: position, isNeighbourAlways) : legsBack(from: position)
      for leg in legs where ways[leg.to] == nil && span.contains(leg.to) {
        ways[leg.to] = (ways[position] ?? []) + [leg]
        open.append(leg.to)
      }
    }
    return nil
  }

  private func legs(from position: Int, _ isNeighbourAlways: Bool) -> [Leg] {
    let named = stages.indices.filter { stages[$0].from == position && stages[$0].to > position }
    let legs = named.map { Leg(to: stages[$0].to, stage: $0) }
    return legs + (named.isEmpty || isNeighbourAlways ? [Leg(to: position + 1)] : [])
  }

  private func legsBack(from position: Int) -> [Leg] {
    stages.indices.filter { stages[$0].from == position && stages[$0].to < position }
      .map { Leg(to: stages[$0].to, stage: $0) }
  }

  /// Leads a store to the version wanted, and then to exactly `schema`.
  func run(to schema: StoreSchema, _ session: MigrationSession) throws {
    let legs = route(from: session.catalogue)
    if var position = position(of: session.catalogue), !legs.isEmpty {
      if versions[position].version >= session.catalogue.schemaVersion {
        // A store that resembles no version becomes the one that it is taken for.
        try session.advance(to: versions[position])
      }
      for leg in legs {
        if let stage = leg.stage, stages[stage].isCustom {
          try perform(stage, session)
        } else {
          try versions[leg.to].requireClearNames(after: versions[position])
          try session.advance(to: versions[leg.to].following(versions[position]), goesBack: leg.stage != nil)
        }
        position = leg.to
      }
    }
    try session.advance(to: schema)
  }
}

extension RecordStore {
  /// As ``open(_:schema:)``, along the stages of a migration plan: all of them in one transaction.
  package static func open(
    _ configuration: StoreConfiguration, schema: StoreSchema, history: MigrationHistory
  ) throws -> RecordStore {
    try telling(of: configuration) {
      let store = try RecordStore.open(withoutMigrating: configuration, schema: history.naming(schema))
      try store.adopt(schema, history)
      return store
    }
  }

  /// Previews the migration of an opening; nil if there is no store yet, or nothing to do.
  package static func migrationPreview(
    _ configuration: StoreConfiguration, schema: StoreSchema, history: MigrationHistory?
  ) throws -> MigrationReport? {
    var existing = configuration
    existing.createsIfMissing = false
    existing.isReadOnly = false
    let store: RecordStore
    do {
      store = try RecordStore.open(existing)
    } catch let error as StoreError where error.code == .notFound {
      return nil
    }
    let report = try store.migrate(isDryRun: true) { session in
      if let history { try history.run(to: schema, session) } else { try session.advance(to: schema) }
    }
    return report.isEmpty ? nil : report
  }

  private func adopt(_ schema: StoreSchema, _ history: MigrationHistory) throws {
    let current = try core.read { $0.catalogue }
    if !configuration.isReadOnly, !history.route(from: current).isEmpty {
      // Another process may be faster: the route is worked out anew inside.
      try whileNobodyElseMigrates { _ = try migrate { session in try history.run(to: schema, session) } }
    }
    try adopt(schema)
  }
}
