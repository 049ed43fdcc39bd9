import RecordStore

extension ContainerCore {
  /// What is needed to open a store: its part of the schema, as data, and the plan's view of it.
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
      let store =
        try opening.history.map { try RecordStore.open(configuration, schema: opening.schema, history: $0) }
        ?? RecordStore.open(configuration, schema: opening.schema)
      return (store, opening.part)
    }
  }

  static func previews(
    of schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ configurations: [ModelConfiguration]
  ) throws -> [MigrationReport] {
    try openings(schema, plan, configurations).compactMap { opening in
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
    let rest = parts.firstIndex { $0.0.schema == nil } ?? 0
    return try parts.enumerated().map { index, part in
      let elsewhere = parts.indices.filter { $0 != index }.flatMap { parts[$0].1.map(\.name) }
      let place = StorePart(
        configuration: part.0, descriptions: part.1, namesElsewhere: Set(elsewhere), holdsRest: index == rest)
      let translated = try StoreSchema(part.1, version: versions?.version(of: schema) ?? schema.version)
      return Opening(
        part: place, schema: translated.addingKeyValues(), history: try versions?.history(of: place, schema))
    }
  }
}
