/// The configuration of somebody else's data store, on its way through the partition of a schema.
///
/// `@unchecked Sendable` because it is a copy that only the making of a container reads.
struct ForeignConfiguration: Hashable, @unchecked Sendable {
  let configuration: any DataStoreConfiguration

  static func == (left: ForeignConfiguration, right: ForeignConfiguration) -> Bool {
    AnyHashable(left.configuration) == AnyHashable(right.configuration)
  }
  func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(configuration)) }
}

extension ModelConfiguration {
  /// The configuration itself, or for another kind that of the memory in which a container keeps what its store gave.
  init(holding configuration: any DataStoreConfiguration) {
    if let own = configuration as? ModelConfiguration {
      self = own
    } else {
      self.init(configuration.name, schema: configuration.schema, isStoredInMemoryOnly: true)
      foreign = ForeignConfiguration(configuration: configuration)
    }
  }
}

extension ModelContainer {
  /// Opens data stores of any kind, each for the classes of its configuration's schema.
  ///
  /// - Throws: as the initialiser with a migration plan, and what a store's initialiser and its configuration's
  ///   ``DataStoreConfiguration/validate()`` throw.
  @_disfavoredOverload
  public convenience init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
    try self.init(
      for: givenSchema, migrationPlan: nil, configurations: configurations.map { ModelConfiguration(holding: $0) })
  }

  /// Opens data stores of any kind for the given models; see
  /// ``init(for:configurations:)-(_,[DataStoreConfiguration])``.
  ///
  /// - Throws: As the initialiser for a schema.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes), migrationPlan: nil, configurations: configurations.map { ModelConfiguration(holding: $0) })
  }
}
