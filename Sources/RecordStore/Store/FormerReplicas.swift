import LMDB

/// Replica ids that a store had before it took another: entries of table `attachments`, `former/` and the id, most
/// significant byte first; the value is a format byte, 1.
enum FormerReplicas {
  static let format: UInt8 = 1
  static let prefix = [UInt8]("former/".utf8)

  static func key(of replica: ReplicaID) -> [UInt8] {
    var key = prefix
    key.append(bigEndian: replica.value)
    return key
  }
}

extension StoreSnapshot {
  /// The ids that this store had before ``RecordStore/renewReplica()``, in order.
  public var formerReplicas: [ReplicaID] {
    get throws {
      var found: [ReplicaID] = []
      try forEachAttachment(prefix: FormerReplicas.prefix) { key, _ in
        let id = key.dropFirst(FormerReplicas.prefix.count)
        if id.count == 8 { found.append(ReplicaID(id.reduce(0) { $0 << 8 | UInt64($1) })) }
        return true
      }
      return found
    }
  }
}
