public import Foundation
import LMDB

/// How far a backup has come.
public enum BackupProgress: Hashable, Sendable {
  /// Bytes written, and about how many there will be.
  case copying(bytes: UInt64, of: UInt64)
  /// Pages of the copy that were read back, and how many there are.
  case verifying(pages: UInt64, of: UInt64)
}

extension RecordStore {
  /// Makes a backup of the store, as it is at one moment, while this process and others go on saving.
  ///
  /// ```swift
  /// let backup = try store.backup(to: folder.appending(path: "shop.backup"))
  /// print(backup.lastTransactionNumber, backup.byteCount)
  /// ```
  /// The destination becomes a directory with the data and a manifest. It appears there when it is whole, on the
  /// device and checked: the copy is read back page by page, its invariants are checked, and its head is compared
  /// with the store's. An earlier backup of this store that is there is replaced in one step. Whatever ends the
  /// process before, the earlier one stays; what was left beside it goes with the next one.
  ///
  /// Blocks the calling thread. Costs a pass over the store and two over the copy; the check of the invariants holds
  /// all records in memory. Pages that saves replace meanwhile are not reused, so the store's file may grow.
  ///
  /// - Parameters:
  ///   - destination: a path that does not exist, an empty directory, or an earlier backup of this store; not inside
  ///     it.
  ///   - compacting: leaves out free pages, which takes longer. Otherwise the copy waits for a save that goes on, as
  ///     another save does.
  ///   - progress: called from this thread and another one.
  /// - Throws: `invalidRequest` where something else is at the destination, `busy` while another process makes a backup
  ///   there or, without `compacting`, stands still in the middle of a save, `diskFull`, `permissionDenied`, `damaged`
  ///   if the store is damaged. The destination is as it was then. `commitOutcomeUnknown` where the device failed once
  ///   the backup was in its place.
  @discardableResult
  public func backup(
    to destination: URL, compacting: Bool = false, progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) throws -> BackupManifest {
    let target = FileItem.behindLink(destination.standardizedFileURL)
    let before = try read { snapshot throws in try CopyHead(snapshot) }
    let isThere = try requireReplaceable(target)
    let directory = try NewDirectory(for: target, mode: configuration.directoryMode)
    let copy = StoreCopy(directory: directory.url, configuration: configuration)
    let size = try statistics().fileBytes
    try copy.fill(from: core.environment, compacting: compacting) {
      progress?(.copying(bytes: $0, of: UInt64(size)))
    }
    let head = try BackupCheck(copy.directory).run { progress?(.verifying(pages: $0, of: $1)) }
    guard try read({ snapshot throws in try head.lies(after: before, in: snapshot) }) else {
      throw StoreError(
        .damaged, "the copy at \(copy.directory.path) is not what the store at \(url.path) holds: run `tandem check`")
    }
    let manifest = try copy.mark(head, madeAtMilliseconds: configuration.clock.now(), isCompact: compacting)
    if isThere { try directory.replace() } else { try directory.publish() }
    try Interruption.point("after a backup got its name")
    return manifest
  }

  /// Removes what a backup to a place has left that was cut off; for a program that ends in the middle of one.
  package static func removeUnfinishedBackup(to destination: URL) {
    let unfinished = NewDirectory.unfinished(for: FileItem.behindLink(destination.standardizedFileURL))
    // The copy goes on meanwhile, and what it adds keeps the directory from being removed: again then.
    for _ in 0..<100 {
      do { return try FileItem.remove(unfinished, "an unfinished backup") } catch { usleep(1000) }
    }
  }

  /// Whether an earlier backup is there. Throws `invalidRequest` where anything else is.
  private func requireReplaceable(_ target: URL) throws -> Bool {
    let (store, place) = (url.resolvingSymlinksInPath().path, target.resolvingSymlinksInPath().path)
    guard configuration.url == nil || !(place + "/").hasPrefix(store + "/") else {
      throw StoreError(.invalidRequest, "\(target.path) is the store, or lies in it: choose another path")
    }
    guard let item = try FileItem.at(target) else { return false }
    guard let manifest = try BackupManifest(ofBackupAt: target) else {
      // An empty directory is replaced by a rename; nothing else is.
      if item == .directory, try FileItem.names(in: target).isEmpty { return false }
      throw StoreError(
        .invalidRequest, "\(target.path) is there and is no backup, so it is left as it is: choose another path")
    }
    let (storeID, replicas) = try read { snapshot throws in
      (try snapshot.storeID, try [snapshot.replica] + snapshot.formerReplicas.map(\.replica))
    }
    guard manifest.isOf(storeID: storeID, replicas: replicas) else {
      throw StoreError(
        .invalidRequest,
        "\(target.path) is a backup of another store, so it is left as it is: choose another path, or remove it first")
    }
    return true
  }
}
