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

  func isReplaced(byOneOf others: [StoredSnapshot]) -> Bool { others.contains { rank <= $0.rank } }
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

  func snapshotNames(of replica: ReplicaID) throws -> [SnapshotName] {
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

  /// Snapshots that lack a part, or of which one is damaged, and where they lie. Reads all.
  func unfinishedSnapshots() throws -> [(name: SnapshotName, path: String)] {
    try knownReplicas().flatMap { replica in
      let whole = Set(try intactSnapshots(of: replica).filter { try $0.isWhole() }.map(\.name))
      return try snapshotNames(of: replica).filter { !whole.contains($0) }.map { name in
        (name, "r/\(replica)/n/\(folder(name, of: replica).lastPathComponent)")
      }
    }
  }

  /// Removes folders without a manifest, or with a damaged one: a name tells what its manifest says.
  func removeUnfinishedSnapshots(of replica: ReplicaID, where isObsolete: (SnapshotName) -> Bool) throws {
    for name in try snapshotNames(of: replica) where isObsolete(name) {
      do {
        if let bytes = try manifestBytes(of: name, replica), name.names(bytes) { continue }
        try DurableFile.removeFolder(folder(name, of: replica))
      } catch let error as SyncError where error.code == .unusableFile {
        // Named by the import. Nothing is concluded from what cannot be read.
        continue
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
    if try wholeChunk(index, of: manifest, name, manifest.replica) != nil { return }
    try publish(
      SnapshotChunk.encode(contents, index: index, storeID: storeID), part, of: name, manifest.replica)
  }

  /// One part of a snapshot: a chunk, or the manifest.
  func publish(_ bytes: [UInt8], _ part: String, of name: SnapshotName, _ replica: ReplicaID) throws {
    let file = folder(name, of: replica).appending(path: part)
    try publish(bytes, at: file, as: .partOfSnapshot(replica, name, part))
  }

  func file(ofChunk index: Int, of name: SnapshotName, _ owner: ReplicaID) -> URL {
    folder(name, of: owner).appending(path: SnapshotName.chunk(index))
  }

  /// A part as it lies there; nil where it does not.
  fileprivate func part(_ part: String, of name: SnapshotName, _ owner: ReplicaID) throws -> [UInt8]? {
    // All chunks together are too much for what a run keeps.
    try FolderMemory.$current.withValue(nil) {
      try readIfPresent(
        folder(name, of: owner).appending(path: part), as: .partOfSnapshot(owner, name, part),
        limit: SnapshotChunk.maximumFileBytes)
    }
  }

  /// The file of a chunk that is as the manifest says; else nil.
  func wholeChunk(
    _ index: Int, of manifest: SnapshotManifest, _ name: SnapshotName, _ owner: ReplicaID
  ) throws -> [UInt8]? {
    try chunk(index, of: name, owner) { bytes, part in
      _ = try SnapshotChunk.decode(
        bytes, index: index, of: manifest.chunks[index], storeID: storeID, subject: part)
    }
  }

  /// The file of a chunk that is as it was written, whatever its manifest says; else nil.
  func provenChunk(_ index: Int, of name: SnapshotName, _ owner: ReplicaID) throws -> [UInt8]? {
    try chunk(index, of: name, owner) { bytes, part in
      try SnapshotChunk.prove(bytes, index: index, storeID: storeID, subject: part)
    }
  }

  private func chunk(
    _ index: Int, of name: SnapshotName, _ owner: ReplicaID, check: ([UInt8], String) throws -> Void
  ) throws -> [UInt8]? {
    let part = SnapshotName.chunk(index)
    do {
      guard let bytes = try self.part(part, of: name, owner) else { return nil }
      try check(bytes, part)
      return bytes
    } catch let error as SyncError where error.code != .inputOutput {
      return nil
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
    try manifest.chunks.indices.allSatisfy { try exchange.wholeChunk($0, of: manifest, name, owner) != nil }
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
  func part(_ name: String) throws -> [UInt8]? { try exchange.part(name, of: self.name, owner) }

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
