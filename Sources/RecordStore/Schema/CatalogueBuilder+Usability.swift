/// Whether a schema may go on with a store that has another one.
extension CatalogueBuilder {
  /// An older schema may go on with a newer store when all that it knows is still there as it knows it.
  static func refuseUnlessContained(_ schema: StoreSchema, in catalogue: Catalogue) throws {
    if let changed = firstMissing(of: schema, in: catalogue) {
      guard schema.version < catalogue.schemaVersion else {
        throw StoreError(
          .backwardMigration,
          "another app has given \(changed) of schema version \(schema.version) other properties than this app "
            + "declares: open the store anew, and give a schema that changes a new version")
      }
      throw StoreError(
        .backwardMigration,
        "the store has schema version \(catalogue.schemaVersion), this app declares \(schema.version) "
          + "and \(changed) has changed since: update the app")
    }
    guard let least = catalogue.leastVersion, schema.version < least, !isExact(schema, catalogue) else { return }
    throw StoreError(
      .backwardMigration,
      "the store has schema version \(catalogue.schemaVersion) and its values were rewritten for \(least), this app "
        + "declares \(schema.version): update the app")
  }

  /// Throws `backwardMigration` if a schema that a process works with is not the store's any more: another process
  /// has migrated it.
  static func requireUsable(_ schema: StoreSchema, in catalogue: Catalogue) throws {
    if schema.version <= catalogue.schemaVersion { return try refuseUnlessContained(schema, in: catalogue) }
    guard let missing = firstMissing(of: schema, in: catalogue) else { return }
    throw StoreError(
      .incompatibleSchema,
      "the store was taken back to schema version \(catalogue.schemaVersion), and \(missing) is not there as declared: "
        + "open it anew")
  }

  /// Whether everything that a schema declares is in the catalogue as declared; indexes may be missing.
  static func contains(_ schema: StoreSchema, in catalogue: Catalogue) -> Bool {
    firstMissing(of: schema, in: catalogue) == nil
  }

  private static func firstMissing(of schema: StoreSchema, in catalogue: Catalogue) -> String? {
    schema.entities.first { definition in
      guard let entity = catalogue.entity(named: definition.name), entity.isDeclared else { return true }
      return !contains(definition, in: entity)
    }?.name
  }

  private static func contains(_ definition: EntityDefinition, in entity: CatalogueEntity) -> Bool {
    definition.attributes.allSatisfy { attribute in
      guard let field = entity.field(named: attribute.name) else { return false }
      return field.isDeclared && field.type == attribute.type && field.isOptional == attribute.isOptional
    }
      && definition.relationships.allSatisfy { relationship in
        guard let known = entity.relationship(named: relationship.name) else { return false }
        return known.destination == relationship.destination && known.isToMany == relationship.isToMany
          && known.isOptional == relationship.isOptional
      }
  }
}
