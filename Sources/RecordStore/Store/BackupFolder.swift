import Foundation
import LMDB

/// Makes and removes the copies of a store that ``StoreBackup`` lists. Used while no other process migrates.
struct BackupFolder {
  let store: URL
  let configuration: StoreConfiguration
  private static let unfinished = ".unfinished"

  private var folder: URL { store.appendingPathComponent(StoreBackup.folder) }

  /// Copies what is committed. Costs a pass over the store and its size on the disk.
  func add(_ environment: Environment, _ schemaVersion: SchemaVersion) throws -> StoreBackup {
    if !FileManager.default.fileExists(atPath: folder.path) {
      try StoreOpening.makeDirectory(folder, mode: configuration.directoryMode)
      Directory.share(folder: folder)
    }
    try remove(folder.appendingPathComponent(BackupFolder.unfinished))
    for surplus in try RecordStore.backups(of: store).dropLast(max(0, configuration.backupCount - 1)) {
      try remove(surplus.url)
    }
    let copy = folder.appendingPathComponent(BackupFolder.unfinished)
    try StoreOpening.makeDirectory(copy, mode: configuration.directoryMode)
    Directory.share(folder: copy)
    do {
      try StoreError.translating(store: store.path) { try environment.copy(to: copy.path, compacting: true) }
      share(copy)
      return try publish(copy, schemaVersion)
    } catch {
      try remove(copy)
      throw error
    }
  }

  /// Whoever may use the data may go back to what it was.
  private func share(_ copy: URL) {
    let data = open(copy.appendingPathComponent("data.mdb").path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard data >= 0 else { return }
    FileRights.take(data, from: store.appendingPathComponent("data.mdb").path)
    close(data)
  }

  private func publish(_ copy: URL, _ schemaVersion: SchemaVersion) throws -> StoreBackup {
    let backup = StoreBackup(in: store, milliseconds: configuration.clock.now(), schemaVersion: schemaVersion)
    var url = backup.url
    // Two migrations within a second.
    while FileManager.default.fileExists(atPath: url.path) {
      url = url.deletingLastPathComponent().appendingPathComponent(url.lastPathComponent + "+", isDirectory: true)
    }
    guard rename(copy.path, url.path) == 0 else {
      throw StoreError(systemError: errno, doing: "name the copy", path: url.path)
    }
    try Directory.flush(folder)
    guard let published = StoreBackup(url) else {
      preconditionFailure("a backup's name is one that the list of backups reads")
    }
    return published
  }

  private func remove(_ url: URL) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      throw StoreError(
        .permissionDenied, "cannot remove \(url.path), an old copy of the store: remove it by hand", cause: error)
    }
  }
}
