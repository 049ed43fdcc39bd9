public import Foundation
public import RecordStore

extension ModelContainer {
  /// Makes a backup of the container's store, while contexts and other processes go on saving.
  ///
  /// ```swift
  /// try container.backup(to: folder.appending(path: "diary.backup"))
  /// ```
  /// A container with several stores makes a folder with a backup for each, `<name>.backup` after its configuration;
  /// each shows its store at one moment of its own. See `RecordStore.backup(to:compacting:progress:)` for what a
  /// backup is, what it costs and what it never replaces, and <doc:Backups> for the way back. Changes of a context
  /// that are not saved are not in it.
  ///
  /// Blocks the calling thread, so call it from a background task.
  ///
  /// - Returns: The contents of each backup, by the name of its configuration.
  /// - Throws: `StoreError`. The destination is as it was, except for backups of stores that were done
  ///   before.
  @discardableResult
  public func backup(
    to destination: URL, compacting: Bool = false, progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) throws -> [String: BackupManifest] {
    let stores = core.ownStores
    if stores.count == 1 {
      let manifest = try stores[0].store.backup(to: destination, compacting: compacting, progress: progress)
      return [stores[0].configuration.name: manifest]
    }
    do {
      try FileManager.default.createDirectory(at: destination, withIntermediateDirectories: true)
    } catch {
      throw StoreError(
        .permissionDenied, "cannot make the folder \(destination.path) for backups: check the path", cause: error)
    }
    var manifests: [String: BackupManifest] = [:]
    for store in stores {
      let name = store.configuration.name
      manifests[name] = try store.store.backup(
        to: destination.appendingPathComponent("\(name).backup", isDirectory: true), compacting: compacting,
        progress: progress)
    }
    return manifests
  }
}
