public import Foundation
public import RecordStore

/// The folder through which replicas of one store exchange their change sets; the only thing that leaves a device.
///
/// ```swift
/// let families = try ExchangeFolder.stores(in: folder).map { ExchangeFolder(root: folder, storeID: $0) }
/// ```
///
/// ```
/// <root>/tandem1-<store id>/
///   STORE                                 identical bytes from every creator
///   r/<replica>/s/<from>-<to>-<hash>.tcs  change sets: immutable
///   r/<replica>/h/<counter>-<hash>.thd    heads: the newest two
/// ```
/// Where the family has a key, `r` lies in a folder with the id of the key, every file is sealed, and hashes in names
/// are hidden; see <doc:Threats>. All above this type sees names and contents as they are without a key.
///
/// Only names of exactly this form are read, so partial and temporary files of the tool that moves the folder
/// cannot hurt; a conflict copy of a change set is accepted by its content. Nothing is inferred from a missing
/// file. A plain value: every call looks at the disk.
public struct ExchangeFolder: Hashable, Sendable {
  /// The folder in which every family of stores has a folder of its own.
  public let root: URL
  /// The family of stores, which names the folder within ``root``.
  public let storeID: RecordID
  /// The users of what is made in it.
  let sharing: FileSharing
  /// Encrypts what lies in it; nil: nothing is encrypted.
  let seal: FileSeal?
  /// The folder of the replicas' folders: made once, since a run names files by thousands.
  let replicas: URL

  /// The folder of a family. Nothing is looked at or made here; what is made in it later is its user's alone.
  public init(root: URL, storeID: RecordID) { self.init(root: root, storeID: storeID, sharing: .owner) }

  init(root: URL, storeID: RecordID, sharing: FileSharing, seal: FileSeal? = nil) {
    self.root = root
    self.storeID = storeID
    self.sharing = sharing
    self.seal = seal
    let url = root.appending(path: "tandem1-\(storeID)")
    replicas = (seal.map { url.appending(path: $0.key.id) } ?? url).appending(path: "r")
  }

  var url: URL { root.appending(path: "tandem1-\(storeID)") }
  var marker: URL { url.appending(path: StoreMarker.name) }
  func folder(of replica: ReplicaID) -> URL { replicas.appending(path: replica.description) }
  func stream(of replica: ReplicaID) -> URL { replicas.appending(path: "\(replica)/s") }
  func heads(of replica: ReplicaID) -> URL { replicas.appending(path: "\(replica)/h") }

  /// The stores whose exchange folders lie in `root`, in order.
  ///
  /// - Throws: ``SyncError`` `unusableFile` or `inputOutput` where `root` cannot be read; a missing one holds none.
  public static func stores(in root: URL) throws -> [RecordID] {
    try DurableFile.names(in: root).compactMap(store)
  }

  private static func store(named name: String) -> RecordID? {
    name.hasPrefix("tandem1-") ? RecordID(String(name.dropFirst("tandem1-".count))) : nil
  }

  /// Exchange folders in `root` whose names are in capitals: nobody reads them.
  static func respelledStores(in root: URL) throws -> [SyncReport.Refusal] {
    try respelled(in: root) { store(named: $0) != nil }
  }

  /// Those in `root`, and those of single places in `<root>/<group>/<name>.exchange`, in order.
  static func all(in root: URL) throws -> [ExchangeFolder] {
    var roots = [root]
    for group in try DurableFile.names(in: root) where !group.hasPrefix(".") && !group.hasPrefix("tandem1-") {
      let folder = root.appending(path: group)
      guard try DurableFile.item(at: folder) == .directory else { continue }
      roots += try DurableFile.names(in: folder).filter { $0.hasSuffix(".exchange") }.map { folder.appending(path: $0) }
    }
    return try roots.flatMap { root in
      guard try DurableFile.item(at: root) == .directory else { return [ExchangeFolder]() }
      return try stores(in: root).map { ExchangeFolder(root: root, storeID: $0) }
    }
  }

  /// Whether the folder carries its marker. Throws when the marker is not this store's, and when it names a key that
  /// the device does not have.
  func isPresent() throws -> Bool { try standing() == .present }

  /// How the folder stands, by its marker. Throws as ``isPresent()`` does.
  func standing() throws -> Standing {
    guard try DurableFile.size(of: marker) != nil else { return .absent }
    let bytes = try DurableFile.read(marker, limit: StoreMarker.maximumFileBytes)
    guard let found = try StoreMarker(bytes), found.storeID == storeID else {
      throw SyncError(
        .folderMissing,
        "\(marker.path) is damaged or not fully transferred; wait until the folder is complete, then sync again")
    }
    if found.keyID == seal?.key.id { return .present }
    guard let keyID = found.keyID else { return .replaced }
    guard let seal else {
      throw SyncError(
        .keyNeeded,
        "\(url.path) is encrypted, and this device has no key for it: run 'tandem key join' here and 'tandem key "
          + "add-device' on a device that has the key")
    }
    guard seal.key.formerIDs.contains(keyID) else {
      if seal.key.membership != nil {
        throw SyncError(
          .keyNeeded,
          "\(url.path) is encrypted with another key than that of this device's invitation: a member was removed "
            + "since, so ask for a new invitation and run 'tandem join' with it")
      }
      throw SyncError(
        .keyNeeded,
        "\(url.path) is encrypted with the key \(keyID), and this device has the key \(seal.key.id): if the key was "
          + "replaced on another device, run 'tandem key add-device' there and 'tandem key join' here")
    }
    return .replaced
  }

  enum Standing: Hashable {
    case absent
    case present
    /// Its files are not encrypted, or with a key that this device's key has replaced. It is set up anew beside them.
    case replaced
  }

  func create() throws {
    try publishMarker()
    try DurableFile.createFolder(replicas, sharing: sharing)
  }

  private func publishMarker() throws {
    let bytes = StoreMarker(storeID: storeID, keyID: seal?.key.id).encoded
    try DurableFile.publish(bytes, named: StoreMarker.name, in: url, sharing: sharing)
  }

  /// Writes a damaged marker anew; its bytes follow from the folder's name. Only for a device's own copy, which nobody
  /// else moves: elsewhere the file may be under way. One of another store, or of a format to come, stays.
  func repairMarker() throws {
    guard try DurableFile.item(at: marker) != nil else { return }
    do {
      guard try !StoreMarker.isWhole(DurableFile.read(marker, limit: StoreMarker.maximumFileBytes)) else { return }
    } catch let error as SyncError where error.code != .inputOutput {
      // An item that is no file, or far too long, is no marker.
    }
    try publishMarker()
  }

  /// All replicas that have a folder here.
  func knownReplicas() throws -> [ReplicaID] {
    try DurableFile.names(in: replicas).compactMap { name in UInt64(exactHexadecimal: name).map(ReplicaID.init) }
  }

  /// Folders of replicas, and those around them, whose names a service, or a file system, has written in capitals:
  /// nobody reads them.
  func respelledFolders() throws -> [SyncReport.Refusal] {
    var (refusals, folder) = ([SyncReport.Refusal](), root)
    for name in replicas.pathComponents.dropFirst(root.pathComponents.count) {
      refusals += try Self.respelled(in: folder) { $0 == name }
      folder.append(path: name)
    }
    return try refusals + Self.respelled(in: replicas) { UInt64(exactHexadecimal: $0) != nil }
  }

  private static func respelled(
    in folder: URL, _ isProper: (String) -> Bool
  ) throws -> [SyncReport.Refusal] {
    let names = try DurableFile.names(in: folder)
    return try names.compactMap { name in
      let proper = name.lowercased()
      // Where the proper name leads to a folder that is not listed, the case of letters makes no difference.
      guard proper != name, isProper(proper),
        try names.contains(proper) || DurableFile.item(at: folder.appending(path: proper)) == nil
      else { return nil }
      return SyncReport.Refusal(
        file: folder.appending(path: name).path,
        reason:
          "the case of its letters was changed, so that no device reads what is in it: rename it to \(proper), or move "
          + "what is in it there, and use a service that keeps names as they are")
    }
  }
}
