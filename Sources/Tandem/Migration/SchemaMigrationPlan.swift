/// One version of an app's schema.
///
/// The models of each version are classes of their own, by custom nested in the version: `SchemaV1.Trip` and
/// `SchemaV2.Trip` are one entity, because only the last part of a class's name counts.
public protocol VersionedSchema: SendableMetatype {
  static var versionIdentifier: Schema.Version { get }
  static var models: [any PersistentModel.Type] { get }
}

/// The versions of an app's schema, and how a store gets from one to the next. See <doc:Migrating>.
///
/// A store of any version is led along the stages to the version that the container wants, in one transaction.
public protocol SchemaMigrationPlan: SendableMetatype {
  static var schemas: [any VersionedSchema.Type] { get }
  static var stages: [MigrationStage] { get }
}

extension Schema {
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }
}
