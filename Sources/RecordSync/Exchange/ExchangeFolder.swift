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

  public init(root: URL, storeID: RecordID) {
    self.root = root
    self.storeID = storeID
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

  /// Whether the folder carries its marker. Throws when the marker is not this store's.
  func isPresent() throws -> Bool {
    guard try DurableFile.size(of: marker) != nil else { return false }
    guard try DurableFile.read(marker, limit: 4096) == StoreMarker(storeID: storeID).encoded else {
      throw SyncError(
        .folderMissing,
        "\(marker.path) is damaged or not fully transferred; wait until the folder is complete, then sync again")
    }
    return true
  }

  func create() throws {
    try DurableFile.publish(StoreMarker(storeID: storeID).encoded, named: StoreMarker.name, in: url)
    try DurableFile.createFolder(replicas)
  }

  /// All replicas that have a folder here.
  func knownReplicas() throws -> [ReplicaID] {
    try DurableFile.names(in: replicas).compactMap { name in UInt64(exactHexadecimal: name).map(ReplicaID.init) }
  }
}
