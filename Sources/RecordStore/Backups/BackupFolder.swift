import Foundation
import LMDB

/// Makes and removes the copies of a store that ``StoreBackup`` lists. Used while no other process migrates.
struct BackupFolder {
  let store: URL
  let configuration: StoreConfiguration

  private var folder: URL { store.appendingPathComponent(StoreBackup.folder) }

  /// Copies what is committed. Costs a pass over the store and its size on the disk. The oldest copy goes when the
  /// migration is done, by ``removeSurplus()``: one that fails must not cost the copy from before another.
  ///
  /// The copy is checked when it is restored: a migration does not wait for that.
  func add(_ environment: Environment, _ head: CopyHead, _ schemaVersion: SchemaVersion) throws -> StoreBackup {
    if try FileItem.at(folder) == nil {
      try StoreOpening.makeDirectory(folder, mode: configuration.directoryMode)
      Directory.share(folder: folder)
    }
    try removeSurplus()
    let now = configuration.clock.now()
    let url = try newPlace(now, schemaVersion)
    let directory = try NewDirectory(for: url, mode: configuration.directoryMode)
    Directory.share(folder: directory.url)
    let copy = StoreCopy(directory: directory.url, configuration: configuration)
    try copy.fill(from: environment, compacting: true, sharesFiles: true)
    _ = try copy.mark(head, madeAtMilliseconds: now, isCompact: true)
    try directory.publish()
    guard let published = StoreBackup(url) else {
      preconditionFailure("a backup's name is one that the list of backups reads")
    }
    return published
  }

  /// Leaves the newest copies, as many as the configuration says.
  func removeSurplus() throws {
    for surplus in try RecordStore.backups(of: store).dropLast(max(0, configuration.backupCount)) {
      try FileItem.remove(surplus.url, "an old copy of the store")
    }
  }

  /// Behind all copies of the same second, whatever their versions.
  private func newPlace(_ milliseconds: UInt64, _ schemaVersion: SchemaVersion) throws -> URL {
    func copy(_ place: Int) -> StoreBackup {
      StoreBackup(in: store, milliseconds: milliseconds, schemaVersion: schemaVersion, placeInSecond: place)
    }
    let earlier = try RecordStore.backups(of: store).filter { $0.madeAt == copy(0).madeAt }
    var place = earlier.map { $0.placeInSecond + 1 }.max() ?? 0
    // Something that is no copy may have the name.
    while try FileItem.at(copy(place).url) != nil { place += 1 }
    return copy(place).url
  }
}
