/// One version of an app's schema.
///
/// The models of each version are classes of their own, by custom nested in the version: `SchemaV1.Trip` and
/// `SchemaV2.Trip` are one entity, because only the last part of a class's name counts.
public protocol VersionedSchema: SendableMetatype {
  /// The version's number, which rises from one version to the next.
  static var versionIdentifier: Schema.Version { get }
  /// The models of the version; those that their relationships reach belong to it, too.
  static var models: [any PersistentModel.Type] { get }
}

/// The versions of an app's schema, and how a store gets from one to the next. See <doc:Migrating>.
///
/// A store of any version is led along the stages to the version that the container wants, in one transaction.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, the oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The ways from one version to the next, in the order of the versions.
  static var stages: [MigrationStage] { get }
}

extension Schema {
  /// The schema of one version: its models under its number.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }
}
