public import RecordStore

/// How people know the devices that a store has met: the display names that replicas give themselves.
///
/// ```swift
/// let names = try DeviceNames(of: store)
/// let author = try phone.read { try $0.replica }
/// print(names[author] ?? "a device without a name")
/// ```
///
/// Kept in the store, so that they are known without the exchange folder.
public struct DeviceNames: Sendable {
  private let names: [ReplicaID: String]

  /// Reads all that `store` knows. Cost: one entry a replica.
  ///
  /// - Throws: what reading the store throws, `StoreError`.
  public init(of store: RecordStore) throws { self = try store.read { try DeviceNames(in: $0) } }

  init(in snapshot: borrowing StoreSnapshot) throws {
    var names: [ReplicaID: String] = [:]
    try snapshot.forEachAttachment(prefix: SyncAttachment.names) { key, value in
      var reader = FileReader(key.dropFirst(SyncAttachment.names.count), subject: "a device's name")
      names[ReplicaID(try reader.integer(UInt64.self).byteSwapped)] = String(decoding: value, as: UTF8.self)
      return true
    }
    self.names = names
  }

  /// Nil for a replica without a name, or one that was never met.
  public subscript(replica: ReplicaID) -> String? { names[replica].flatMap { $0.isEmpty ? nil : $0 } }

  /// The attachments that let the store know `found`, too; none if it does.
  func changes(to found: [ReplicaID: String]) -> [StoreAttachment] {
    found.filter { !$0.value.isEmpty && names[$0.key] != $0.value }.sorted { $0.key < $1.key }.map { replica, name in
      var writer = FileWriter()
      writer.put(raw: SyncAttachment.names)
      writer.put(replica.value.byteSwapped)
      return StoreAttachment(key: writer.bytes, value: Array(name.utf8))
    }
  }
}
