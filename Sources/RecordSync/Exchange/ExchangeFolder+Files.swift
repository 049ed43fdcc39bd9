import Foundation
import RecordStore

/// Where files lie in the folder, and what is in them. Without a seal, names and contents are those of the content.
extension ExchangeFolder {
  /// The part of a file in the family: the place for which its author sealed it.
  enum Role: Hashable {
    /// A change set, whose name may be any: it tells its own.
    case changeSet(ReplicaID)
    case head(ReplicaID, HeadName)
    case partOfSnapshot(ReplicaID, SnapshotName, String)

    var place: String {
      switch self {
      case .changeSet(let replica): "r/\(replica)/s"
      case .head(let replica, let name): "r/\(replica)/h/\(name.text)"
      case .partOfSnapshot(let replica, let name, let part): "r/\(replica)/n/\(name.text)/\(part)"
      }
    }
  }

  // MARK: Contents

  /// As ``DurableFile/publish(_:named:in:sharing:)``, sealed, for the users of this folder.
  func publish(_ content: [UInt8], at file: URL, as role: Role) throws {
    let bytes = try seal?.seal(content, at: role.place) ?? content
    try DurableFile.publish(
      bytes, named: file.lastPathComponent, in: file.deletingLastPathComponent(), sharing: sharing)
  }

  /// As ``DurableFile/read(_:limit:)``; `limit` is one of the content.
  func read(_ file: URL, as role: Role, limit: Int) throws -> [UInt8] {
    guard let content = try readIfPresent(file, as: role, limit: limit) else { throw DurableFile.missing(file) }
    return content
  }

  /// As ``DurableFile/readIfPresent(_:limit:)``. Throws ``SyncError`` `damagedFile` or `foreignFile` for what the seal
  /// does not take.
  func readIfPresent(_ file: URL, as role: Role, limit: Int) throws -> [UInt8]? {
    guard let seal else { return try DurableFile.readIfPresent(file, limit: limit) }
    return try DurableFile.readIfPresent(file, limit: seal.byteCount(ofContent: limit)) {
      try seal.open($0, at: role.place, subject: file.path)
    }
  }

  /// How long the file of a content is.
  func byteCount(ofContent count: Int) -> Int { seal?.byteCount(ofContent: count) ?? count }

  /// How long the content of a file is; nil where no file of this folder has that length.
  func contentByteCount(ofFile count: Int) -> Int? { seal.map { $0.contentByteCount(ofFile: count) } ?? count }

  // MARK: Names

  func file(_ name: ChangeSetName, of replica: ReplicaID) -> URL {
    var lying = name
    if let seal { lying.hash = seal.hidden(name.hash) }
    return stream(of: replica).appending(path: lying.text)
  }

  func file(_ name: HeadName, of replica: ReplicaID) -> URL {
    var lying = name
    if let seal { lying.hash = seal.hidden(name.hash) }
    return heads(of: replica).appending(path: lying.text)
  }

  func folder(_ name: SnapshotName, of replica: ReplicaID) -> URL {
    snapshots(of: replica).appending(path: seal.map { name.mapped($0.hidden) }?.text ?? name.text)
  }

  /// The name that the content of an entry has; nil for names of another form.
  func changeSetName(_ entry: String) -> ChangeSetName? {
    guard var name = ChangeSetName(entry) else { return nil }
    if let seal { name.hash = seal.shown(name.hash) }
    return name
  }

  func headName(_ entry: String) -> HeadName? {
    guard var name = HeadName(entry) else { return nil }
    if let seal { name.hash = seal.shown(name.hash) }
    return name
  }

  func snapshotName(_ entry: String) -> SnapshotName? {
    guard let name = SnapshotName(entry) else { return nil }
    return seal.map { name.mapped($0.shown) } ?? name
  }

  /// Removes what killed writers have left among a replica's files, where only this device writes them. Large values
  /// have a rule of their own, for they are gone on with.
  func removeAbandonedPartials(of replica: ReplicaID) throws {
    let snapshots = try snapshotNames(of: replica).map { folder($0, of: replica) }
    for folder in [stream(of: replica), heads(of: replica)] + snapshots {
      try DurableFile.removeAbandonedPartials(in: folder)
    }
  }

  // MARK: Keys that were replaced

  /// Folders of files that are encrypted with a key that the present one has replaced.
  func formerFolders() throws -> [URL] {
    guard let seal, !seal.key.formerIDs.isEmpty else { return [] }
    return try DurableFile.names(in: url).filter(seal.key.formerIDs.contains).map { url.appending(path: $0) }
  }

  /// Removes them, others' files included: no holder of the present key reads them.
  func removeFormerFolders() throws {
    for folder in try formerFolders() {
      do {
        try FileManager.default.removeItem(at: folder)
      } catch {
        throw SyncError(
          .inputOutput, "cannot remove \(folder.path), whose key was replaced: check the permissions", cause: error)
      }
      FolderMemory.forget(folder)
    }
  }

  /// Files of the same family that are not encrypted, though it has a key: nobody reads them.
  func clearRefusal() throws -> SyncReport.Refusal? {
    guard seal != nil else { return nil }
    let clear = url.appending(path: "r")
    guard try DurableFile.item(at: clear) != nil else { return nil }
    return ExchangeFolder.refusal(ofClear: clear.path)
  }

  /// `folder`: its path.
  static func refusal(ofClear folder: String) -> SyncReport.Refusal {
    SyncReport.Refusal(
      file: folder,
      reason:
        "it holds files of this family that are not encrypted, though the family has a key: nothing in it is read; "
        + "remove it once all devices have the key")
  }
}
