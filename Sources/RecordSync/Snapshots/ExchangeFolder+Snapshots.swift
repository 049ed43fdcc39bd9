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
    try DurableFile.names(in: snapshots(of: replica)).compactMap(SnapshotName.init).sorted().compactMap { name in
      let folder = snapshots(of: replica).appending(path: name.text)
      let path = "r/\(replica)/n/\(name.text)"
      let file = folder.appending(path: SnapshotName.manifest)
      guard let bytes = try DurableFile.readIfPresent(file, limit: SnapshotManifest.maximumFileBytes), name.names(bytes)
      else { return nil }
      do {
        let manifest = try SnapshotManifest(bytes, subject: path)
        guard manifest.storeID == storeID else { return nil }
        return StoredSnapshot(name: name, owner: replica, manifest: manifest, folder: folder, path: path)
      } catch let error as SyncError where error.code != .inputOutput {
        return nil
      }
    }
  }

  /// All snapshots of all replicas.
  func intactSnapshots() throws -> [StoredSnapshot] { try knownReplicas().flatMap { try intactSnapshots(of: $0) } }

  /// Writes chunks, then the manifest. A crash leaves a folder that nobody takes for a snapshot.
  func publish(_ payload: [UInt8], as manifest: SnapshotManifest, named name: SnapshotName) throws {
    let folder = snapshots(of: manifest.replica).appending(path: name.text)
    var start = 0
    for (index, chunk) in manifest.chunks.enumerated() {
      try Task.checkCancellation()
      let contents = payload[start..<start + chunk.byteCount]
      let bytes = SnapshotChunk.encode(contents, index: index, storeID: storeID)
      try DurableFile.publish(bytes, named: SnapshotName.chunk(index), in: folder)
      start += chunk.byteCount
    }
    try DurableFile.publish(manifest.encoded(), named: SnapshotName.manifest, in: folder)
  }
}

extension StoredSnapshot {
  /// The payload. Throws `damagedFile` while a chunk is missing or damaged; the message names it.
  func payload() throws -> [UInt8] {
    var payload: [UInt8] = []
    // What a manifest promises may be more than there is, and more than there is memory.
    let there = try manifest.chunks.indices.reduce(0) {
      $0 + (try DurableFile.size(of: folder.appending(path: SnapshotName.chunk($1))) ?? 0)
    }
    payload.reserveCapacity(min(manifest.payloadBytes, there))
    try forEachChunk { payload.append(contentsOf: $0) }
    return payload
  }

  /// Whether every chunk is there as the manifest says.
  func isWhole() throws -> Bool {
    do {
      try forEachChunk { _ in }
      return true
    } catch let error as SyncError where error.code == .damagedFile {
      return false
    }
  }

  private func forEachChunk(_ body: (ArraySlice<UInt8>) -> Void) throws {
    for (index, chunk) in manifest.chunks.enumerated() {
      let name = SnapshotName.chunk(index)
      let file = folder.appending(path: name)
      guard let bytes = try DurableFile.readIfPresent(file, limit: SnapshotChunk.maximumFileBytes) else {
        throw SyncError(.damagedFile, "\(path) lacks its chunk \(name); it is taken when a whole copy has arrived")
      }
      body(
        try SnapshotChunk.decode(
          bytes, index: index, of: chunk, storeID: manifest.storeID, subject: "\(path)/\(name)"))
    }
  }
}
