import Foundation
import RecordStore

extension TransportFamily {
  /// A file that the own copy has and the transport lacks, or lists with another length.
  struct Departure {
    var file: URL
    var path: String
    var role: ExchangeFolder.Role
    /// Whether it counts as copied: a change set, or a snapshot, by its manifest.
    var isCounted = true

    var replica: ReplicaID {
      switch role {
      case .changeSet(let replica), .head(let replica, _), .partOfSnapshot(let replica, _, _): replica
      }
    }
    var isHead: Bool { if case .head = role { true } else { false } }
    /// The path of what is brought wholly or not at all: the file's, or that of a snapshot's folder.
    var unit: String {
      guard case .partOfSnapshot = role else { return path }
      return path.split(separator: "/").dropLast().joined(separator: "/")
    }
  }

  /// The files that are to be brought; only whole ones are.
  func departures() throws -> [Departure] {
    try own.knownReplicas().flatMap { replica in
      try headDepartures(of: replica) + snapshotDepartures(of: replica) + streamDepartures(of: replica)
    }
  }

  private func streamDepartures(of replica: ReplicaID) throws -> [Departure] {
    try own.listing(of: replica).files.compactMap { file in
      let target = remote.file(file.name, of: replica)
      guard let size = try DurableFile.size(of: file.url), !isListed(target, size),
        try isWhole(file.url, file.name, of: replica)
      else { return nil }
      return Departure(file: file.url, path: path(target), role: .changeSet(replica))
    }
  }

  /// Older heads than the newest one there were replaced there.
  private func headDepartures(of replica: ReplicaID) throws -> [Departure] {
    let newest = headNames(of: replica).last
    return try own.headNames(of: replica).suffix(2).compactMap { name in
      let target = remote.file(name, of: replica)
      guard newest.map({ $0 <= name }) ?? true, let bytes = try own.headBytes(name, of: replica),
        !isListed(target, bytes.count)
      else { return nil }
      return Departure(
        file: own.file(name, of: replica), path: path(target), role: .head(replica, name), isCounted: false)
    }
  }

  /// The newest two, unless one that knows more is there: its owner has removed them from there then.
  private func snapshotDepartures(of replica: ReplicaID) throws -> [Departure] {
    let newest = try own.intactSnapshots(of: replica).sorted { $0.rank < $1.rank }.suffix(2)
    let lacking = try newest.map { ($0.rank, try lackingParts(of: $0)) }
    let there = lacking.filter(\.1.isEmpty).map(\.0).max { $0 < $1 }
    return lacking.filter { rank, _ in there.map { $0 < rank } ?? true }.flatMap(\.1)
  }

  private func lackingParts(of snapshot: StoredSnapshot) throws -> [Departure] {
    let names = snapshot.manifest.chunks.indices.map(SnapshotName.chunk) + [SnapshotName.manifest]
    let lacking = try names.compactMap { part -> Departure? in
      let file = snapshot.folder.appending(path: part)
      let target = remote.folder(snapshot.name, of: snapshot.owner).appending(path: part)
      guard let size = try DurableFile.size(of: file), !isListed(target, size) else { return nil }
      return Departure(
        file: file, path: path(target), role: .partOfSnapshot(snapshot.owner, snapshot.name, part),
        isCounted: part == SnapshotName.manifest)
    }
    return try lacking.isEmpty || snapshot.isWhole() ? lacking : []
  }

  /// Whether a file is listed with the length that a content of so many bytes has there.
  private func isListed(_ file: URL, _ count: Int) -> Bool {
    listing.byteCounts(of: path(file)).contains(remote.byteCount(ofContent: count))
  }

  // MARK: Laying out

  /// Lays a file into the folder from which it is brought, sealed where the family has a key. Returns whether it was
  /// still there.
  func stage(_ departure: Departure, in folder: URL) throws -> Bool {
    let target = folder.appending(path: departure.path)
    if let seal = remote.seal {
      guard
        let bytes = try own.readIfPresent(departure.file, as: departure.role, limit: StreamFile.maximumFileBytes)
      else { return false }
      try publish(try seal.seal(bytes, at: departure.role.place), at: target)
      return true
    }
    try DurableFile.createFolder(target.deletingLastPathComponent())
    // A link, for the file may be removed while it is under way.
    if link(departure.file.path, target.path) == 0 { return true }
    guard let bytes = try DurableFile.readIfPresent(departure.file, limit: StreamFile.maximumFileBytes) else {
      return false
    }
    try publish(bytes, at: target)
    return true
  }

  /// Lays out the marker, by which the family's files are there. Returns its path.
  func stageMarker(in folder: URL) throws -> String {
    let bytes = StoreMarker(storeID: remote.storeID, keyID: remote.seal?.key.id).encoded
    try publish(bytes, at: folder.appending(path: marker))
    return marker
  }

  private func publish(_ bytes: [UInt8], at file: URL) throws {
    try DurableFile.publish(bytes, named: file.lastPathComponent, in: file.deletingLastPathComponent())
  }

  // MARK: Looking ahead

  /// The manifests of snapshots that are listed.
  var manifests: [String] {
    replicas.flatMap { replica in
      snapshotNames(of: replica).flatMap { parts(of: $0, replica) }.filter { path in
        let limit = remote.byteCount(ofContent: SnapshotManifest.maximumFileBytes)
        return path.hasSuffix(SnapshotName.manifest) && !isOversized(path, limit: limit)
      }
    }
  }

  /// Lays empty files with the names of listed change sets into a folder, for a plan, which looks at names alone.
  func placeNames(in folder: URL) throws {
    for replica in replicas {
      let stream = path(remote.stream(of: replica))
      for entry in listing.files(in: stream).keys where remote.changeSetName(entry) != nil {
        try publish([], at: folder.appending(path: "\(stream)/\(entry)"))
      }
    }
  }
}
