/// How a store gets from one version of its schema to another one, mostly a later. A stage to an older version is
/// taken where a container wants that version.
///
/// All stages of a migration are one transaction: what their closures save is there when the last one has ended
/// without an error, and otherwise nothing is; a save that is refused ends the migration, whatever the closure makes of
/// its error. A closure runs on the store's own thread, and again if the file has to grow meanwhile; it works through
/// the contexts that it gets, which end with it. Where a container has several stores, it runs for each of them, and
/// finds what lies there.
public enum MigrationStage: Sendable {
  /// The store's own work: new and removed entities and properties, renames by `originalName`, changed
  /// optionality, indexes, rules and unique constraints.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// `willMigrate` sees the old models only, `didMigrate` the new ones only. Unsaved changes of a context are
  /// saved when its closure returns. A property whose type changes begins with its default.
  ///
  /// New demands (unique, required) hold when `didMigrate` has returned.
  @preconcurrency
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (ModelContext) throws -> Void)?, didMigrate: (@Sendable (ModelContext) throws -> Void)?)
  /// Sees old and new objects together; not in SwiftData. Otherwise as `didMigrate`.
  case transform(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    transform: @Sendable (MigrationContext) throws -> Void)

  var fromVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(let version, _), .custom(let version, _, _, _), .transform(let version, _, _): version
    }
  }

  var toVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(_, let version), .custom(_, let version, _, _), .transform(_, let version, _): version
    }
  }

  var isCustom: Bool {
    if case .lightweight = self { return false }
    return true
  }
}
