import Foundation
import LMDB
import Synchronization

// The third door.
extension RecordStore {
  /// Brings the catalogue to a schema by automatic steps: new entities, fields and indexes, renames by
  /// original name, optionality as far as the records allow or with a default, changed indexes and rules. Records
  /// that hold one value of what becomes unique become one. Throws `incompatibleSchema` otherwise.
  ///
  /// New indexes cost one pass over their entity. Changed rules (delete rules, required relationships,
  /// unique constraints) work out anew what is visible and hold the entities concerned in memory meanwhile. Where
  /// records are rewritten, the store is copied first (``StoreBackup``).
  /// A schema of an older version than the store's changes nothing: it is accepted when all that it
  /// declares is still there, else `backwardMigration` is thrown. On an error the store is unchanged.
  @discardableResult
  public func migrate(to schema: StoreSchema) throws -> Catalogue {
    _ = try migrate { session in try session.advance(to: schema) }
    declared.set(schema)
    return try read { $0.catalogue }
  }

  /// Previews ``migrate(to:)``. The store is locked for others' saves meanwhile, and not changed.
  public func migrationPreview(to schema: StoreSchema) throws -> MigrationReport {
    try migrate(isDryRun: true) { session in try session.advance(to: schema) }
  }

  /// Runs steps in one transaction: all of them, or none. Other processes read the state from before until then, and
  /// their saves wait.
  ///
  /// `body` may run on another thread, and more than once: if the file has to grow, or if a save that shares the commit
  /// fails. It may save through the session's store only.
  package func migrate(
    isDryRun: Bool = false, _ body: @escaping @Sendable (MigrationSession) throws -> Void
  ) throws -> MigrationReport {
    let backup = Mutex<StoreBackup?>(nil)
    let stops = Interruption.plan
    do {
      let report = try write(asDeclared: false) { [self] transaction, layout throws -> (MigrationReport, StoreLayout) in
        try transaction.lend { handle throws in
          try Interruption.$plan.withValue(stops) {
            let migration = OpenWrite(
              handle, layout: layout, path: url.path,
              misuse: "a context or object of a migration was used after its stage, or on another thread: the stage "
                + "ends when its closure returns")
            let session = MigrationSession(migration, store: inside(migration)) { [self] in
              guard !isDryRun, backup.withLock({ $0 }) == nil else { return }
              let made = try backUp(layout.catalogue.schemaVersion)
              backup.withLock { $0 = made }
            }
            try body(session)
            try migration.throwFailure()
            try Interruption.point("before a migration commits")
            let report = MigrationReport(
              store: url, fromVersion: layout.catalogue.schemaVersion, toVersion: session.catalogue.schemaVersion,
              steps: session.steps, backup: backup.withLock { $0 }, isDryRun: isDryRun)
            if isDryRun { throw Rehearsal(report: report) }
            return (report, migration.layout)
          }
        }
      }
      if report.backup != nil { removeSurplusBackups() }
      if !report.isEmpty { note(report) }
      return report
    } catch let rehearsal as Rehearsal {
      return rehearsal.report
    } catch {
      if let backup = backup.withLock({ $0 }), !RecordStore.mayHaveMigrated(error) { remove(backup) }
      throw error
    }
  }

  /// Whether the copy from before a migration may be needed after this error; a process that is gone removes nothing.
  private static func mayHaveMigrated(_ error: any Error) -> Bool {
    error is Interruption.Stop || (error as? StoreError)?.code == .commitOutcomeUnknown
  }

  /// The store is as it was, and the next attempt makes a copy of its own.
  private func remove(_ backup: StoreBackup) {
    do { try FileItem.remove(backup.url, "the copy of a migration that failed") } catch { return }
  }

  /// A copy that cannot be removed now goes at the next migration.
  private func removeSurplusBackups() {
    do { try BackupFolder(store: url, configuration: configuration).removeSurplus() } catch { return }
  }

  /// The end of a dry run: thrown, so that the transaction is undone.
  private struct Rehearsal: Error {
    let report: MigrationReport
  }

  private func backUp(_ version: SchemaVersion) throws -> StoreBackup? {
    guard configuration.url != nil, configuration.backupCount > 0 else { return nil }
    let folder = BackupFolder(store: url, configuration: configuration)
    let head = try core.read { snapshot throws in try CopyHead(snapshot) }
    return try folder.add(core.environment, head, version)
  }

  /// The steps at opening: none, the automatic ones, or for a reader an error if it would need some.
  func adopt(_ schema: StoreSchema) throws {
    let current = try core.read { $0.catalogue }
    if try !CatalogueBuilder.isAdopted(schema, by: current) {
      guard !configuration.isReadOnly else {
        try requireContained(schema, in: current)
        return declared.set(schema)
      }
      try whileNobodyElseMigrates { _ = try migrate { session in try session.advance(to: schema) } }
    }
    declared.set(schema)
  }

  func whileNobodyElseMigrates(_ body: () throws -> Void) throws {
    try CreationLock(store: url, mode: configuration.fileMode)
      .withLock(timeoutSeconds: configuration.timeoutSeconds, body)
  }

  private func requireContained(_ schema: StoreSchema, in catalogue: Catalogue) throws {
    guard CatalogueBuilder.contains(schema, in: catalogue) else {
      throw StoreError(
        .incompatibleSchema,
        "the store at \(url.path) lacks entities or fields of the schema, and this process may only "
          + "read: open it once for writing")
    }
  }
}
