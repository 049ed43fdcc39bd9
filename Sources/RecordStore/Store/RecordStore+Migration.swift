import Foundation
import LMDB

// The third door.
extension RecordStore {
  /// Brings the catalogue to a schema by automatic steps: new entities, fields and indexes, renames by
  /// original name, optionality with a default, changed indexes. Throws `incompatibleSchema` otherwise.
  ///
  /// New indexes cost one pass over their entity. Changed rules (delete rules, required relationships,
  /// unique constraints) work out anew what is visible and hold the entities concerned in memory meanwhile.
  /// A schema of an older version than the store's changes nothing: it is accepted when all that it
  /// declares is still there, else `backwardMigration` is thrown. On an error the store is unchanged.
  @discardableResult
  public func migrate(to schema: StoreSchema) throws -> Catalogue {
    try write { transaction, layout throws in
      let catalogue = try CatalogueBuilder.build(schema, onto: layout.catalogue)
      guard catalogue != layout.catalogue else { return (layout.catalogue, layout) }
      let migration = Migration(from: layout, to: catalogue)
      let migrated = try migration.run(in: transaction)
      return (catalogue, migrated)
    }
  }

  /// The steps at opening: none, the automatic ones, or for a reader an error if it would need some.
  func adopt(_ schema: StoreSchema) throws {
    let current = core.currentLayout.catalogue
    let wanted = try CatalogueBuilder.build(schema, onto: current)
    guard wanted != current else { return }
    guard configuration.isReadOnly else {
      try CreationLock(store: url, mode: configuration.fileMode).withLock(timeoutSeconds: configuration.timeoutSeconds)
      {
        _ = try migrate(to: schema)
      }
      return
    }
    guard CatalogueBuilder.contains(schema, in: current) else {
      throw StoreError(
        .incompatibleSchema,
        "the store at \(url.path) lacks entities or fields of the schema, and this process may only "
          + "read: open it once for writing")
    }
  }
}
