/// Which configuration's store holds which classes.
enum SchemaPartition {
  /// The schema of a container: the given one, and without models what the configurations name. Where they name nothing
  /// either, it is the newest version of the migration plan, or empty.
  static func schema(
    _ given: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ configurations: [ModelConfiguration]
  ) -> Schema {
    guard given.types.isEmpty, given.entities.isEmpty else { return given }
    let named = configurations.compactMap(\.schema)
    guard let first = named.first else {
      let newest = plan?.schemas.max { $0.versionIdentifier < $1.versionIdentifier }
      return newest.map { Schema(versionedSchema: $0) } ?? given
    }
    guard named.count > 1 else { return first }
    return Schema(named.flatMap(\.types), version: named.map(\.version).max() ?? first.version)
  }

  /// A configuration with a schema holds that schema's classes, and those that inherit from them; the one without holds
  /// the rest.
  /// Throws when a class has no store or two, or two configurations have one place.
  static func parts(
    of schema: Schema, _ configurations: [ModelConfiguration]
  ) throws -> [(ModelConfiguration, [ModelDescription])] {
    for configuration in configurations { try configuration.validate() }
    try requireDifferentPlaces(configurations)
    guard !schema.types.isEmpty || schema.entities.isEmpty else {
      throw SwiftDataError(.unknownSchema, "a container needs a schema of classes: Schema([Trip.self])")
    }
    let all = ModelDescription.reachable(from: schema.types)
    var rest = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    if let (first, second) = zip(all, all.dropFirst()).first(where: { $0.name == $1.name }) {
      let names = [String(reflecting: first.type), String(reflecting: second.type)].sorted()
      throw SwiftDataError(
        .unsupportedSchema,
        "the classes \(names[0]) and \(names[1]) of the schema are both the entity \(first.name): leave one out, look "
          + "which of them relationships lead to, or rename one")
    }
    var parts: [(ModelConfiguration, [ModelDescription])] = []
    for configuration in configurations where configuration.schema != nil {
      parts.append((configuration, try take(configuration, from: &rest, all)))
    }
    for configuration in configurations where configuration.schema == nil {
      parts.append((configuration, rest.values.sorted { $0.name < $1.name }))
      rest = [:]
    }
    if let homeless = rest.keys.min() {
      throw SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema, "no configuration holds \(homeless); name it in one of them")
    }
    return parts
  }

  /// By place, not by spelling: a store opened twice would lose the classes of the first configuration. Stores in
  /// memory all have one URL and are told by the rest of their configurations.
  private static func requireDifferentPlaces(_ configurations: [ModelConfiguration]) throws {
    // To look for symbolic links is a system call for each folder on the way.
    guard configurations.count > 1 else { return }
    let inMemory = configurations.filter(\.isStoredInMemoryOnly)
    guard Set(inMemory).count == inMemory.count else {
      throw SwiftDataError(
        .duplicateConfiguration, "two configurations in memory are equal; give each a name or a schema of its own")
    }
    let places = configurations.filter { !$0.isStoredInMemoryOnly }
      .map { $0.url.standardizedFileURL.resolvingSymlinksInPath().path }
    guard Set(places).count == places.count else {
      throw SwiftDataError(.duplicateConfiguration, "two configurations have one URL; give each store its own")
    }
  }

  private static func take(
    _ configuration: ModelConfiguration, from rest: inout [String: ModelDescription], _ all: [ModelDescription]
  ) throws -> [ModelDescription] {
    let names = configuration.schema?.entitiesByName.keys.sorted() ?? []
    let named = try names.map { name in
      if let description = rest.removeValue(forKey: name) { return description }
      guard all.contains(where: { $0.name == name }) else {
        throw SwiftDataError(
          .configurationSchemaNotFoundInContainerSchema,
          "the configuration \(configuration.name) names \(name), which is not in the container's schema")
      }
      throw SwiftDataError(.duplicateConfiguration, "two configurations hold \(name); relationships need one store")
    }
    let subclasses = rest.values.filter { subclass in named.contains { $0 === subclass.root } }
    for subclass in subclasses { rest[subclass.name] = nil }
    return named + subclasses.sorted { $0.name < $1.name }
  }
}
