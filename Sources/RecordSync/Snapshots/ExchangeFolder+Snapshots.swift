import Foundation
import RecordStore

/// A snapshot that lies in the folder, its manifest intact.
struct StoredSnapshot: Hashable, Sendable {
  var name: SnapshotName
  /// In whose folder it lies.
  var owner: ReplicaID
  var manifest: SnapshotManifest
  var folder: URL
  /// Where it lies below the exchange folder's root, for messages.
  var path: String

  /// Greater for what knows more. The clock alone does not tell: a device that only took in what others had saved
  /// before has the same one.
  var rank: (transactions: UInt64, clock: Stamp) { (manifest.vector.total, manifest.clock) }
}

extension ExchangeFolder {
  func snapshots(of replica: ReplicaID) -> URL { folder(of: replica).appending(path: "n") }

  /// The snapshots in one replica's folder, in order of their names. One without an intact manifest is not there yet.
  func intactSnapshots(of replica: ReplicaID) throws -> [StoredSnapshot] {
    try snapshotNames(of: replica).compactMap { name in
      let folder = snapshots(of: replica).appending(path: name.text)
      let path = "r/\(replica)/n/\(name.text)"
      let file = folder.appending(path: SnapshotName.manifest)
      do {
        guard let bytes = try DurableFile.readIfPresent(file, limit: SnapshotManifest.maximumFileBytes),
          name.names(bytes)
        else { return nil }
        let manifest = try SnapshotManifest(bytes, subject: path)
        guard manifest.storeID == storeID else { return nil }
        return StoredSnapshot(name: name, owner: replica, manifest: manifest, folder: folder, path: path)
      } catch let error as SyncError where error.code != .inputOutput {
        return nil
      }
    }
  }

  private func snapshotNames(of replica: ReplicaID) throws -> [SnapshotName] {
    do {
      return try DurableFile.names(in: snapshots(of: replica)).compactMap(SnapshotName.init).sorted()
    } catch let error as SyncError where error.code == .unusableFile {
      // Named by ``unusableSnapshots(of:)``.
      return []
    }
  }

  /// What lies in the place of a manifest, or of the snapshots' folder, and cannot be read.
  func unusableSnapshots(of replica: ReplicaID) throws -> [SyncReport.Refusal] {
    let folder = snapshots(of: replica)
    do {
      return try DurableFile.names(in: folder).compactMap(SnapshotName.init).sorted().compactMap { name in
        let file = folder.appending(path: name.text).appending(path: SnapshotName.manifest)
        do {
          _ = try DurableFile.readIfPresent(file, limit: SnapshotManifest.maximumFileBytes)
          return nil
        } catch let error as SyncError where error.code == .unusableFile {
          let path = "r/\(replica)/n/\(name.text)/\(SnapshotName.manifest)"
          return SyncReport.Refusal(file: path, reason: error.message)
        }
      }
    } catch let error as SyncError where error.code == .unusableFile {
      return [SyncReport.Refusal(file: "r/\(replica)/n", reason: error.message)]
    }
  }

  /// Where snapshots lie that lack a part, or of which one is damaged. Reads them all.
  func unfinishedSnapshots() throws -> [String] {
    try knownReplicas().flatMap { replica in
      let whole = Set(try intactSnapshots(of: replica).filter { try $0.isWhole() }.map(\.name))
      return try snapshotNames(of: replica).filter { !whole.contains($0) }.map { "r/\(replica)/n/\($0.text)" }
    }
  }

  /// All snapshots of all replicas.
  func intactSnapshots() throws -> [StoredSnapshot] { try knownReplicas().flatMap { try intactSnapshots(of: $0) } }

  /// Writes a chunk of a snapshot whose manifest comes last: a crash leaves a folder that nobody takes for a snapshot.
  /// One that an earlier attempt has written stays.
  func publish(_ contents: ArraySlice<UInt8>, at index: Int, of manifest: SnapshotManifest, named name: SnapshotName)
    throws
  {
    let folder = snapshots(of: manifest.replica).appending(path: name.text)
    let file = SnapshotName.chunk(index)
    if try isWhole(folder.appending(path: file), at: index, of: manifest) { return }
    try publish(SnapshotChunk.encode(contents, index: index, storeID: storeID), named: file, in: folder)
  }

  private func isWhole(_ file: URL, at index: Int, of manifest: SnapshotManifest) throws -> Bool {
    do {
      guard let bytes = try DurableFile.readIfPresent(file, limit: SnapshotChunk.maximumFileBytes) else { return false }
      _ = try SnapshotChunk.decode(
        bytes, index: index, of: manifest.chunks[index], storeID: storeID, subject: file.lastPathComponent)
      return true
    } catch let error as SyncError where error.code != .inputOutput {
      return false
    }
  }

  /// Writes the manifest, by which the snapshot is there.
  func publish(_ manifest: SnapshotManifest, named name: SnapshotName) throws {
    let folder = snapshots(of: manifest.replica).appending(path: name.text)
    try publish(manifest.encoded(), named: SnapshotName.manifest, in: folder)
  }
}

extension StoredSnapshot {
  /// Whether every chunk is there as the manifest says.
  func isWhole() throws -> Bool {
    do {
      try forEachChunk { _ in }
      return true
    } catch let error as SyncError where [.damagedFile, .unusableFile].contains(error.code) {
      return false
    }
  }

  /// Reads chunk after chunk. Throws `damagedFile` where one is missing or damaged; the message names it.
  func forEachChunk(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    for (index, chunk) in manifest.chunks.enumerated() {
      let name = SnapshotName.chunk(index)
      let file = folder.appending(path: name)
      guard let bytes = try DurableFile.readIfPresent(file, limit: SnapshotChunk.maximumFileBytes) else {
        throw SyncError(.damagedFile, "\(path) lacks its chunk \(name); it is taken when a whole copy has arrived")
      }
      try body(
        SnapshotChunk.decode(
          bytes, index: index, of: chunk, storeID: manifest.storeID, subject: "\(path)/\(name)"))
    }
  }
}
