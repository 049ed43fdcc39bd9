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

  /// Writes chunks, then the manifest. A crash leaves a folder that nobody takes for a snapshot.
  func publish(_ payload: [UInt8], as manifest: SnapshotManifest, named name: SnapshotName) throws {
    let folder = snapshots(of: manifest.replica).appending(path: name.text)
    var start = 0
    for (index, chunk) in manifest.chunks.enumerated() {
      try CancellationRequest.check()
      let contents = payload[start..<start + chunk.byteCount]
      let bytes = SnapshotChunk.encode(contents, index: index, storeID: storeID)
      try publish(bytes, named: SnapshotName.chunk(index), in: folder)
      start += chunk.byteCount
    }
    try publish(manifest.encoded(), named: SnapshotName.manifest, in: folder)
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
    } catch let error as SyncError where [.damagedFile, .unusableFile].contains(error.code) {
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
