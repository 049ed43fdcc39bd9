import Foundation
import RecordStore

extension TransportFamily {
  /// A file, or the files of a snapshot, that the own copy lacks.
  struct Arrival {
    enum Content {
      /// Nil: of a conflict copy, whose name tells nothing.
      case changeSet(ChangeSetName?)
      case head(HeadName)
      case snapshot(SnapshotName)
    }
    var replica: ReplicaID
    var content: Content
    /// The path of the file, or of the folder.
    var path: String
    /// All that are listed of it.
    var listed: [String]
    /// Those that are to be fetched.
    var files: [String]
    var look: String

    var isHead: Bool { if case .head = content { true } else { false } }
  }

  /// A file of an arrival that is listed with a greater length than any of its kind has: fetched, it would fill the
  /// disk of each device. Nil where all may be fetched.
  func oversizedFile(of arrival: Arrival) -> String? {
    arrival.files.first { path in
      let limit =
        switch arrival.content {
        case .changeSet: StreamFile.maximumFileBytes
        case .head: ReplicaHead.maximumFileBytes
        case .snapshot where path.hasSuffix("/" + SnapshotName.manifest): SnapshotManifest.maximumFileBytes
        case .snapshot: SnapshotChunk.maximumFileBytes
        }
      return isOversized(path, limit: remote.byteCount(ofContent: limit))
    }
  }

  /// Whether a file is listed with more bytes than `limit`.
  func isOversized(_ path: String, limit: Int) -> Bool { listing.byteCounts(of: path).contains { $0 > limit } }

  /// Listed files that the own copy lacks. `applied`: what the device's store has merged; files beyond it are merged
  /// next, so that a damaged one in the own copy is fetched anew.
  func arrivals(applied: VersionVector) throws -> [Arrival] {
    try replicas.flatMap { replica in
      try headArrivals(of: replica) + snapshotArrivals(of: replica)
        + streamArrivals(of: replica, after: applied.sequence(of: replica))
    }
  }

  private func arrival(
    _ content: Arrival.Content, at path: String, _ files: [String], _ replica: ReplicaID
  ) -> Arrival {
    Arrival(replica: replica, content: content, path: path, listed: files, files: files, look: look(of: files))
  }

  /// Files up to `sequence` that are here are taken for whole.
  func streamArrivals(of replica: ReplicaID, after sequence: UInt64) throws -> [Arrival] {
    let folder = path(remote.stream(of: replica))
    let entries = listing.files(in: folder).keys.filter(ChangeSetName.mayBe)
    return try entries.sorted().compactMap { entry in
      let name = remote.changeSetName(entry)
      if let name, try isHere(name, of: replica, after: sequence) { return nil }
      let path = "\(folder)/\(entry)"
      return arrival(.changeSet(name), at: path, [path], replica)
    }
  }

  private func isHere(_ name: ChangeSetName, of replica: ReplicaID, after sequence: UInt64) throws -> Bool {
    let file = own.file(name, of: replica)
    guard try DurableFile.size(of: file) != nil else { return false }
    return try name.to <= sequence || isWhole(file, name, of: replica)
  }

  func isWhole(_ file: URL, _ name: ChangeSetName, of replica: ReplicaID) throws -> Bool {
    let bytes = try own.readIfPresent(file, as: .changeSet(replica), limit: StreamFile.maximumFileBytes)
    return bytes.map { ContentHash(of: $0).name == name.hash } ?? false
  }

  private func headArrivals(of replica: ReplicaID) throws -> [Arrival] {
    let newest = try own.headNames(of: replica).last
    return headNames(of: replica).suffix(2).filter { name in newest.map { $0 < name } ?? true }.map { name in
      let path = path(remote.file(name, of: replica))
      return arrival(.head(name), at: path, [path], replica)
    }
  }

  func snapshotArrivals(of replica: ReplicaID) throws -> [Arrival] {
    try snapshotNames(of: replica).compactMap { name in
      let parts = parts(of: name, replica)
      guard try !parts.isEmpty && own.manifestBytes(of: name, replica) == nil else { return nil }
      return arrival(.snapshot(name), at: path(remote.folder(name, of: replica)), parts, replica)
    }
  }

  /// The listed files of an arrival without chunks that the own copy has of a run that was cut off, as they were
  /// written. Reads those.
  func lackingFiles(of arrival: Arrival) throws -> [String] {
    guard case .snapshot(let name) = arrival.content else { return arrival.listed }
    return try arrival.listed.filter { path in
      let part = path.split(separator: "/").last.map(String.init) ?? path
      guard let index = SnapshotName.index(ofChunk: part) else { return true }
      return try own.provenChunk(index, of: name, arrival.replica) == nil
    }
  }

  /// Whether there is more to fetch of a snapshot that was not taken: a chunk of an earlier run was found not to belong
  /// to it, and went.
  func lacksMore(of arrival: Arrival) throws -> Bool {
    guard case .snapshot(let name) = arrival.content,
      // It goes as a whole where a newer snapshot is there.
      try DurableFile.item(at: own.folder(name, of: arrival.replica)) != nil
    else { return false }
    return try !Set(lackingFiles(of: arrival)).isSubset(of: arrival.files)
  }

  /// Removes chunks of others' snapshots that the place has no more, where one of the same replica is to come.
  func removeReplacedChunks(for arrivals: [Arrival], of ownReplica: ReplicaID?) throws {
    let offered = arrivals.filter { if case .snapshot = $0.content { true } else { false } }
    for replica in Set(offered.map(\.replica)) where replica != ownReplica {
      let listed = Set(snapshotNames(of: replica))
      try own.removeUnfinishedSnapshots(of: replica) { !listed.contains($0) }
    }
  }

  /// Whether the own copy has, after a run, what was fetched. A conflict copy was taken under its proper name, if at
  /// all.
  func isTaken(_ arrival: Arrival) throws -> Bool {
    switch arrival.content {
    case .changeSet(let name):
      try name.map { try DurableFile.size(of: own.file($0, of: arrival.replica)) != nil } ?? false
    case .head(let name): try own.headNames(of: arrival.replica).contains(name)
    case .snapshot(let name): try own.manifestBytes(of: name, arrival.replica) != nil
    }
  }
}
