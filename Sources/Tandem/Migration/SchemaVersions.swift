import RecordStore

/// A migration plan, read and found to agree with itself.
struct SchemaVersions: Sendable {
  private let plan: any SchemaMigrationPlan.Type
  /// In the order of their version numbers.
  private let versions: [any VersionedSchema.Type]
  private let stages: [MigrationHistory.Stage]

  /// Throws `unsupportedSchema` for two versions of one number and for stages that lead nowhere.
  init(_ plan: any SchemaMigrationPlan.Type) throws {
    self.plan = plan
    let versions = plan.schemas.sorted { $0.versionIdentifier < $1.versionIdentifier }
    for (first, second) in zip(versions, versions.dropFirst())
    where first.versionIdentifier == second.versionIdentifier {
      throw SwiftDataError(
        .unsupportedSchema,
        "\(first) and \(second) of the plan \(plan) both have the version \(first.versionIdentifier): number them "
          + "apart")
    }
    let positions = Dictionary(versions.enumerated().map { (ObjectIdentifier($1), $0) }) { first, _ in first }
    stages = try plan.stages.map { stage in
      guard let from = positions[ObjectIdentifier(stage.fromVersion)],
        let to = positions[ObjectIdentifier(stage.toVersion)]
      else {
        throw SwiftDataError(
          .unsupportedSchema,
          "the plan \(plan) has a stage from \(stage.fromVersion) to \(stage.toVersion) and does not name both among "
            + "its schemas: add the missing one")
      }
      guard from != to else {
        throw SwiftDataError(
          .unsupportedSchema,
          "the plan \(plan) has a stage from \(stage.fromVersion) to itself: name two versions, or leave it out")
      }
      return MigrationHistory.Stage(from: from, to: to, isCustom: stage.isCustom)
    }
    self.versions = versions
  }

  /// Which version a container's schema is: by its classes, because a schema made of classes alone counts as 1.0.0.
  private func target(of schema: Schema) -> Int? {
    let wanted = Set(schema.types.map { ObjectIdentifier($0) })
    let sets = versions.map { version in
      Set(ModelDescription.reachable(from: version.models).map { ObjectIdentifier($0.type) })
    }
    return sets.lastIndex(of: wanted) ?? sets.lastIndex { wanted.isSubset(of: $0) }
      ?? versions.firstIndex { $0.versionIdentifier == schema.version } ?? versions.indices.last
  }

  /// The number that a container's schema has in the plan.
  func version(of schema: Schema) -> Schema.Version {
    target(of: schema).map { max(versions[$0].versionIdentifier, schema.version) } ?? schema.version
  }

  /// The plan as one store of a container sees it.
  func history(of part: StorePart, _ schema: Schema) throws -> MigrationHistory? {
    guard let target = target(of: schema) else { return nil }
    let descriptions = versions.map { part.descriptions(of: $0) }
    let schemas = try zip(versions, descriptions).map { version, descriptions in
      try StoreSchema(descriptions, version: version.versionIdentifier).addingKeyValues()
    }
    let (plan, versions, stages) = (plan, versions, stages)
    return MigrationHistory(versions: schemas, stages: stages, target: target) { index, session in
      func core(_ position: Int, _ store: RecordStore, looksBack: Bool = false) throws -> ContainerCore {
        try ContainerCore(
          schema: Schema(versionedSchema: versions[position]), store: store, configuration: part.configuration,
          part.descriptions(of: versions[position]), elsewhere: part.descriptionsElsewhere(of: versions[position]),
          looksBack: looksBack)
      }
      func run(_ body: (@Sendable (ModelContext) throws -> Void)?, _ position: Int) throws {
        guard let body else { return }
        let context = ModelContext(core: try core(position, session.store), isMain: false)
        context.author = MigrationContext.author
        try body(context)
        if context.hasChanges { try context.save() }
      }
      let stage = stages[index]
      let next = schemas[stage.to].following(schemas[stage.from])
      switch plan.stages[index] {
      case .lightweight: try session.advance(to: next, goesBack: true)
      case .custom(_, _, let willMigrate, let didMigrate):
        try session.advance(to: next) {
          try run(willMigrate, stage.from)
        } complete: { _ in
          try run(didMigrate, stage.to)
        }
      case .transform(_, _, let transform):
        try session.advance(to: next) {
        } complete: { past in
          let context = MigrationContext(
            old: try core(stage.from, past, looksBack: true), new: try core(stage.to, session.store))
          try transform(context)
          if context.newContext.hasChanges { try context.newContext.save() }
        }
      }
    }
  }
}
