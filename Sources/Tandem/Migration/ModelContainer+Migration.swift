public import RecordStore

extension ModelContainer {
  /// The migrations of this container's making: one report for each store that changed.
  public var migrationReports: [MigrationReport] { core.stores.flatMap { $0.store.migrations } }

  /// Previews the migration that making a container with these arguments would do: it is played, the stages of the plan
  /// included, and undone. The stores are not changed, and saves of others wait meanwhile.
  ///
  /// Empty if nothing is to be done. A store that does not exist is not made.
  ///
  /// - Throws: What the making of the container would throw.
  public static func migrationPreview(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws -> [MigrationReport] {
    try ContainerCore.previews(of: givenSchema, migrationPlan, configurations)
  }
}
