public import Foundation
public import RecordStore

/// The folder through which replicas of one store exchange their change sets; the only thing that leaves a device.
///
/// ```
/// <root>/tandem1-<store id>/
///   STORE                                 identical bytes from every creator
///   r/<replica>/s/<from>-<to>-<hash>.tcs  change sets: immutable
///   r/<replica>/h/<counter>-<hash>.thd    heads: the newest two
/// ```
/// Only names of exactly this form are read, so partial and temporary files of the tool that moves the folder
/// cannot hurt; a conflict copy of a change set is accepted by its content. Nothing is inferred from a missing
/// file. A plain value: every call looks at the disk.
public struct ExchangeFolder: Hashable, Sendable {
  public let root: URL
  public let storeID: RecordID
  /// Who may use what is made in it.
  let sharing: FileSharing

  public init(root: URL, storeID: RecordID) { self.init(root: root, storeID: storeID, sharing: .owner) }

  init(root: URL, storeID: RecordID, sharing: FileSharing) {
    self.root = root
    self.storeID = storeID
    self.sharing = sharing
  }

  var url: URL { root.appending(path: "tandem1-\(storeID)") }
  var marker: URL { url.appending(path: StoreMarker.name) }
  var replicas: URL { url.appending(path: "r") }
  func folder(of replica: ReplicaID) -> URL { replicas.appending(path: replica.description) }
  func stream(of replica: ReplicaID) -> URL { folder(of: replica).appending(path: "s") }
  func heads(of replica: ReplicaID) -> URL { folder(of: replica).appending(path: "h") }

  /// The stores whose exchange folders lie in `root`, in order.
  public static func stores(in root: URL) throws -> [RecordID] {
    try DurableFile.names(in: root).compactMap { name in
      name.hasPrefix("tandem1-") ? RecordID(String(name.dropFirst("tandem1-".count))) : nil
    }
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

  /// Whether the folder carries its marker. Throws when the marker is not this store's.
  func isPresent() throws -> Bool {
    guard try DurableFile.size(of: marker) != nil else { return false }
    guard try DurableFile.read(marker, limit: StoreMarker.maximumFileBytes) == StoreMarker(storeID: storeID).encoded
    else {
      throw SyncError(
        .folderMissing,
        "\(marker.path) is damaged or not fully transferred; wait until the folder is complete, then sync again")
    }
    return true
  }

  func create() throws {
    try publishMarker()
    try DurableFile.createFolder(replicas, sharing: sharing)
  }

  private func publishMarker() throws {
    try publish(StoreMarker(storeID: storeID).encoded, named: StoreMarker.name, in: url)
  }

  /// Writes a damaged marker anew; its bytes follow from the folder's name. Only for a device's own copy, which nobody
  /// else moves: elsewhere the file may be under way. One of another store, or of a format to come, stays.
  func repairMarker() throws {
    guard try DurableFile.item(at: marker) != nil else { return }
    do {
      guard try !StoreMarker.isWhole(DurableFile.read(marker, limit: StoreMarker.maximumFileBytes)) else { return }
    } catch let error as SyncError where error.code != .inputOutput {
      // What is no file, or far too long, is no marker.
    }
    try publishMarker()
  }

  /// As ``DurableFile/publish(_:named:in:sharing:)``, for those who may use this folder.
  func publish(_ bytes: [UInt8], named name: String, in place: URL) throws {
    try DurableFile.publish(bytes, named: name, in: place, sharing: sharing)
  }

  /// All replicas that have a folder here.
  func knownReplicas() throws -> [ReplicaID] {
    try DurableFile.names(in: replicas).compactMap { name in UInt64(exactHexadecimal: name).map(ReplicaID.init) }
  }
}
