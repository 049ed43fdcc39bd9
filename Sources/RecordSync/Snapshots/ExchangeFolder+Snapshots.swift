import Foundation
import RecordStore

/// A snapshot that lies in the folder, its manifest intact.
struct StoredSnapshot: Hashable, Sendable {
  var name: SnapshotName
  /// In whose folder it lies.
  var owner: ReplicaID
  var manifest: SnapshotManifest
  /// The exchange folder that holds it.
  var exchange: ExchangeFolder
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
      let folder = folder(name, of: replica)
      let path = "r/\(replica)/n/\(folder.lastPathComponent)"
      do {
        guard let bytes = try manifestBytes(of: name, replica), name.names(bytes) else { return nil }
        let manifest = try SnapshotManifest(bytes, subject: path)
        guard manifest.storeID == storeID else { return nil }
        return StoredSnapshot(
          name: name, owner: replica, manifest: manifest, exchange: self, folder: folder, path: path)
      } catch let error as SyncError where error.code != .inputOutput {
        return nil
      }
    }
  }

  /// Nil where there is none.
  func manifestBytes(of name: SnapshotName, _ replica: ReplicaID) throws -> [UInt8]? {
    try readIfPresent(
      folder(name, of: replica).appending(path: SnapshotName.manifest),
      as: .partOfSnapshot(replica, name, SnapshotName.manifest), limit: SnapshotManifest.maximumFileBytes)
  }

  private func snapshotNames(of replica: ReplicaID) throws -> [SnapshotName] {
    do {
      return try DurableFile.names(in: snapshots(of: replica)).compactMap(snapshotName).sorted()
    } catch let error as SyncError where error.code == .unusableFile {
      // Named by ``unusableSnapshots(of:)``.
      return []
    }
  }

  /// Items in the place of a manifest, or of the snapshots' folder, that cannot be read.
  func unusableSnapshots(of replica: ReplicaID) throws -> [SyncReport.Refusal] {
    let folder = snapshots(of: replica)
    do {
      return try DurableFile.names(in: folder).compactMap(snapshotName).sorted().compactMap { name in
        do {
          _ = try manifestBytes(of: name, replica)
          return nil
        } catch let error as SyncError where error.code != .inputOutput {
          let lying = self.folder(name, of: replica).lastPathComponent
          let path = "r/\(replica)/n/\(lying)/\(SnapshotName.manifest)"
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
      return try snapshotNames(of: replica).filter { !whole.contains($0) }.map {
        "r/\(replica)/n/\(folder($0, of: replica).lastPathComponent)"
      }
    }
  }

  /// All snapshots of all replicas.
  func intactSnapshots() throws -> [StoredSnapshot] { try knownReplicas().flatMap { try intactSnapshots(of: $0) } }

  /// Writes a chunk of a snapshot whose manifest comes last: a crash leaves a folder that nobody takes for a snapshot.
  /// One that an earlier attempt has written stays.
  func publish(_ contents: ArraySlice<UInt8>, at index: Int, of manifest: SnapshotManifest, named name: SnapshotName)
    throws
  {
    let part = SnapshotName.chunk(index)
    if try isWhole(part, at: index, of: manifest, name) { return }
    try publish(
      SnapshotChunk.encode(contents, index: index, storeID: storeID), part, of: name, manifest.replica)
  }

  /// One part of a snapshot: a chunk, or the manifest.
  func publish(_ bytes: [UInt8], _ part: String, of name: SnapshotName, _ replica: ReplicaID) throws {
    let file = folder(name, of: replica).appending(path: part)
    try publish(bytes, at: file, as: .partOfSnapshot(replica, name, part))
  }

  private func isWhole(
    _ part: String, at index: Int, of manifest: SnapshotManifest, _ name: SnapshotName
  ) throws -> Bool {
    do {
      let file = folder(name, of: manifest.replica).appending(path: part)
      guard
        let bytes = try readIfPresent(
          file, as: .partOfSnapshot(manifest.replica, name, part), limit: SnapshotChunk.maximumFileBytes)
      else { return false }
      _ = try SnapshotChunk.decode(
        bytes, index: index, of: manifest.chunks[index], storeID: storeID, subject: part)
      return true
    } catch let error as SyncError where error.code != .inputOutput {
      return false
    }
  }

  /// Writes the manifest, by which the snapshot is there.
  func publish(_ manifest: SnapshotManifest, named name: SnapshotName) throws {
    try publish(manifest.encoded(), SnapshotName.manifest, of: name, manifest.replica)
  }
}

extension StoredSnapshot {
  /// Whether every chunk is there as the manifest says.
  func isWhole() throws -> Bool {
    do {
      try forEachChunk { _ in }
      return true
    } catch let error as SyncError where [.damagedFile, .unusableFile, .foreignFile].contains(error.code) {
      return false
    }
  }

  var manifestFile: URL { folder.appending(path: SnapshotName.manifest) }

  /// Throws `damagedFile` where a chunk is missing or is not as it was written; the message names it. Unpacks none.
  func proveIntact() throws {
    for index in manifest.chunks.indices {
      try CancellationRequest.check()
      let name = SnapshotName.chunk(index)
      try SnapshotChunk.prove(chunk(name), index: index, storeID: manifest.storeID, subject: "\(path)/\(name)")
    }
  }

  /// A chunk as it lies there; nil where it does not.
  func part(_ name: String) throws -> [UInt8]? {
    // All chunks together are too much for what a run keeps.
    try FolderMemory.$current.withValue(nil) {
      try exchange.readIfPresent(
        folder.appending(path: name), as: .partOfSnapshot(owner, self.name, name),
        limit: SnapshotChunk.maximumFileBytes)
    }
  }

  /// Reads chunk after chunk. Throws `damagedFile` where one is missing or damaged; the message names it.
  func forEachChunk(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    for (index, chunk) in manifest.chunks.enumerated() {
      let name = SnapshotName.chunk(index)
      try body(
        SnapshotChunk.decode(
          self.chunk(name), index: index, of: chunk, storeID: manifest.storeID, subject: "\(path)/\(name)"))
    }
  }

  private func chunk(_ name: String) throws -> [UInt8] {
    if let bytes = try part(name) { return bytes }
    throw SyncError(.damagedFile, "\(path) lacks its chunk \(name); it is taken when a whole copy has arrived")
  }
}
