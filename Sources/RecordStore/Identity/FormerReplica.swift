import LMDB

/// A replica id that a store had before it took another.
///
/// Entries of table `attachments`: `former/` and the id, most significant byte first; the value is a format byte and,
/// in format 2, a byte that says why.
package struct FormerReplica: Hashable, Sendable, Codable {
  /// Why a store took another id.
  package enum Reason: UInt8, Hashable, Sendable, Codable {
    /// Unknown: an earlier build did not say.
    case unknown
    /// The data file is not where it was: the store was copied, restored or moved to another disk.
    case copied
    /// The store knows less than it had exported: a backup took its place.
    case setBack
    /// Another store wrote under the id, as the exchange folder shows.
    case shared
    /// Others had been told that the id is gone for good.
    case retired
  }

  /// The former id.
  package var replica: ReplicaID
  /// Why the store has it no longer.
  package var reason: Reason

  private static let format: UInt8 = 2
  static let prefix = [UInt8]("former/".utf8)

  init(replica: ReplicaID, reason: Reason) {
    self.replica = replica
    self.reason = reason
  }

  /// Nil for a key of another form.
  init?(key: [UInt8], value: [UInt8]) {
    let id = key.dropFirst(FormerReplica.prefix.count)
    guard id.count == 8 else { return nil }
    replica = ReplicaID(id.reduce(0) { $0 << 8 | UInt64($1) })
    reason = value.count == 2 ? Reason(rawValue: value[1]) ?? .unknown : .unknown
  }

  var key: [UInt8] {
    var key = FormerReplica.prefix
    key.append(bigEndian: replica.value)
    return key
  }

  var value: [UInt8] { [FormerReplica.format, reason.rawValue] }
}

extension StoreSnapshot {
  /// The ids that this store had before ``RecordStore/renewReplica(because:)``, in order.
  package var formerReplicas: [FormerReplica] {
    get throws {
      var found: [FormerReplica] = []
      try forEachAttachment(prefix: FormerReplica.prefix) { key, value in
        if let former = FormerReplica(key: key, value: value) { found.append(former) }
        return true
      }
      return found
    }
  }
}
