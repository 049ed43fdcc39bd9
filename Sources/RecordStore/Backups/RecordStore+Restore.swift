public import Foundation
import LMDB

/// The outcome of a restore.
public struct RestoredBackup: Hashable, Sendable {
  /// The manifest of the backup.
  public let manifest: BackupManifest
  /// Where the store that was replaced is kept; nil where there was none, or it was not to be kept.
  public let replaced: URL?
}

extension RecordStore {
  /// Puts a backup in the place of a store that nobody has open, or where there is none.
  ///
  /// ```swift
  /// let restored = try RecordStore.restore(backupAt: backup, to: StoreConfiguration(url: storeURL))
  /// ```
  /// The backup stays as it is: it is copied, its checksum, pages and invariants are checked, and then the copy takes
  /// the store's place in one step. The restored store is a new replica of its family, so that a synchronisation
  /// brings back what other devices have of later saves, and spreads what this backup alone has. Readers of history
  /// start anew. Copies from before migrations stay with the store.
  ///
  /// Blocks the calling thread; costs three passes over the backup, and its size on the disk.
  ///
  /// - Parameters:
  ///   - backup: The directory of the backup.
  ///   - configuration: where the store is; how to open the copy.
  ///   - keepingReplaced: keeps the store that is replaced beside it, under a name with the time. It may be damaged.
  ///   - progress: Called on the calling thread, as the work goes on.
  /// - Throws: `busy` while a process has the store open, `invalidRequest` where the path is no backup or the store is
  ///   another one, `damaged` if the backup is damaged, `diskFull`. The store is as it was then. Where the device
  ///   failed once the copy was in its place, the message says so (`commitOutcomeUnknown`, or the system's refusal).
  public static func restore(
    backupAt backup: URL, to configuration: StoreConfiguration, keepingReplaced: Bool = true,
    progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) throws -> RestoredBackup {
    guard let url = (configuration.url?.standardizedFileURL).map(FileItem.behindLink) else {
      throw StoreError(.invalidRequest, "a backup is restored to a directory: give its path")
    }
    guard let manifest = try BackupManifest(ofBackupAt: backup) else {
      throw StoreError(
        .invalidRequest,
        "\(backup.path) is no backup, for it has no manifest: name a directory that `tandem backup` made")
    }
    let succession = try StoreSuccession(of: url, configuration)
    try succession.requireKin(of: manifest)
    let directory = try NewDirectory(for: url, mode: configuration.directoryMode)
    let copy = StoreCopy(directory: directory.url, configuration: configuration)
    let digest = try copy.fill(fromBackupAt: backup) { progress?(.copying(bytes: $0, of: manifest.byteCount)) }
    if let flaw = manifest.flaw(of: digest, in: backup) { throw StoreError(.damaged, flaw) }
    _ = try BackupCheck(directory.url).run { progress?(.verifying(pages: $0, of: $1)) }
    try CopyAdoption(directory.url, configuration).run(because: .setBack, goingOnAfter: succession.lastNumber)
    let replaced = try succession.complete(with: directory, keepingReplaced: keepingReplaced)
    return RestoredBackup(manifest: manifest, replaced: replaced)
  }

  /// A sentence for a backup whose data is not as it was made, which no restore takes; none for others. Reads the data
  /// from end to end.
  package func backupFlaws() throws -> [String] {
    guard let manifest = try BackupManifest(ofBackupAt: url) else { return [] }
    return [manifest.flaw(of: try FileDigest(url.appendingPathComponent("data.mdb").path), in: url)].compactMap(\.self)
  }
}
