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
    Arrival(replica: replica, content: content, path: path, files: files, look: look(of: files))
  }

  /// Files up to `sequence` that are here are taken for whole.
  func streamArrivals(of replica: ReplicaID, after sequence: UInt64) throws -> [Arrival] {
    let folder = path(remote.stream(of: replica))
    let entries = listing.files(in: folder).keys.filter { $0.hasSuffix(ChangeSetName.suffix) && !$0.hasPrefix(".") }
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
