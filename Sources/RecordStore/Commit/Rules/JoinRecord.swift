import LMDB

/// A link of a many-to-many relationship as a record, the same on every device that makes it.
package enum JoinRecord {
  /// The first 16 bytes of SHA-256 over the join entity's name, a zero byte, the left and the right id.
  package static func id(of name: String, left: RecordID, right: RecordID) -> RecordID {
    var bytes = [UInt8](name.utf8)
    bytes.append(0)
    left.append(to: &bytes)
    right.append(to: &bytes)
    let digest = bytes.withRawBytes { StableHash.digest128($0) }
    return RecordID(high: digest.high, low: digest.low)
  }
}
