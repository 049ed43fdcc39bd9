import RecordStore

extension ContainerCore {
  /// The needs of opening a store: its part of the schema, as data, and the plan's view of it.
  private struct Opening {
    let part: StorePart
    let schema: StoreSchema
    let history: MigrationHistory?
  }

  /// Opens each store, creates it where it is missing, and brings it to its part of the schema.
  static func open(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ configurations: [ModelConfiguration]
  ) throws -> [(store: RecordStore, part: StorePart)] {
    try openings(schema, plan, configurations).map { opening in
      let configuration = opening.part.configuration.storeConfiguration
      try refuseClassesThatMoved(opening)
      // Without any class, what a store holds stays, whatever the version of its schema.
      if schema.types.isEmpty, let store = try existingStore(configuration) { return (store, opening.part) }
      let store =
        try opening.history.map { try RecordStore.open(configuration, schema: opening.schema, history: $0) }
        ?? RecordStore.open(configuration, schema: opening.schema)
      return (store, opening.part)
    }
  }

  /// Throws for a class with objects in an entity of its own that inherits from another class now: its objects would be
  /// where no class looks. A plan is taken to know where a stage of the app's own is on the way.
  private static func refuseClassesThatMoved(_ opening: Opening) throws {
    let subclasses = opening.part.descriptions.filter { $0.superclass != nil }
    guard !subclasses.isEmpty, !opening.part.configuration.isStoredInMemoryOnly,
      let store = try existingStore(opening.part.configuration.storeConfiguration)
    else { return }
    try store.read { snapshot in
      if let history = opening.history, history.runsCode(from: snapshot.catalogue) { return }
      for subclass in subclasses {
        guard let entity = snapshot.catalogue.entity(named: subclass.name), entity.isDeclared else { continue }
        let count = try snapshot.count(RecordQuery(entity: entity.number))
        guard count == 0 else {
          throw SwiftDataError(
            .unsupportedSchema,
            "\(subclass.name) inherits from \(subclass.root.name) now, and the store has \(count) objects of it from "
              + "when it was a class of its own: give it a new name, or move them in a stage of a migration plan")
        }
      }
    }
  }

  private static func existingStore(_ configuration: StoreConfiguration) throws -> RecordStore? {
    do {
      return try RecordStore.open(configuration)
    } catch let error as StoreError where error.code == .notFound {
      return nil
    }
  }

  static func previews(
    of schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ configurations: [ModelConfiguration]
  ) throws -> [MigrationReport] {
    let schema = SchemaPartition.schema(schema, plan, configurations)
    guard !schema.types.isEmpty else { return [] }
    return try openings(schema, plan, configurations).compactMap { opening in
      guard !opening.part.configuration.isStoredInMemoryOnly else { return nil }
      return try RecordStore.migrationPreview(
        opening.part.configuration.storeConfiguration, schema: opening.schema, history: opening.history)
    }
  }

  private static func openings(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ configurations: [ModelConfiguration]
  ) throws -> [Opening] {
    let parts = try SchemaPartition.parts(
      of: schema, configurations.isEmpty ? [ModelConfiguration()] : configurations)
    let versions = try plan.map { try SchemaVersions($0) }
    let homes = try homes(of: parts, plan)
    return try parts.enumerated().map { index, part in
      let place = StorePart(configuration: part.0, descriptions: part.1, index: index, homes: homes)
      let translated = try StoreSchema(part.1, version: versions?.version(of: schema) ?? schema.version)
      return Opening(
        part: place, schema: translated.addingKeyValues(), history: try versions?.history(of: place, schema))
    }
  }

  /// Looks into the stores for the classes of other versions that nothing else tells the place of.
  private static func homes(
    of parts: [(ModelConfiguration, [ModelDescription])], _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ClassHomes {
    let rest = parts.firstIndex { $0.0.schema == nil } ?? 0
    var catalogues: [Int: Catalogue?] = [:]
    return try ClassHomes(parts.map(\.1), plan?.schemas ?? [], rest: rest) { index, entity in
      let configuration = parts[index].0
      guard configuration.foreign == nil, !configuration.isStoredInMemoryOnly else { return false }
      if catalogues[index] == nil {
        let store = try existingStore(configuration.storeConfiguration)
        catalogues.updateValue(try store?.read { $0.catalogue }, forKey: index)
      }
      return catalogues[index]??.entity(named: entity)?.isDeclared == true
    }
  }
}
