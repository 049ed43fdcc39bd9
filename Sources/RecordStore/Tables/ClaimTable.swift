import LMDB

/// Keys of table `claims`: unique values of inserted records that the unique index does not show, because the
/// record is invisible or a reference in the key dangles. Index u32 · 16 bytes of the key's digest · record id;
/// no value.
enum ClaimTable {
  static let prefixByteCount = 20
  static let keyByteCount = prefixByteCount + RecordID.byteCount

  static func prefix(_ claim: ClaimKey) -> [UInt8] {
    var key = GrowingBytes(capacity: keyByteCount)
    let digest = claim.bytes.withRawBytes { StableHash.digest128($0) }
    writePrefix(index: claim.index, digest, to: &key)
    return key.bytes
  }

  /// Appends a key without its id; the digest is that of the index key.
  static func writePrefix(index: Int, _ digest: (high: UInt64, low: UInt64), to key: inout GrowingBytes) {
    key.append(bigEndian: UInt32(index))
    key.append(bigEndian: digest.high)
    key.append(bigEndian: digest.low)
  }

  static func key(_ claim: ClaimKey, id: RecordID) -> [UInt8] { key(prefix(claim), id: id) }

  static func key(_ prefix: [UInt8], id: RecordID) -> [UInt8] {
    var key = prefix
    id.append(to: &key)
    return key
  }
}

/// A value of a unique index: the index and the key bytes without an id.
struct ClaimKey: Hashable {
  let index: Int
  let bytes: [UInt8]

  // An array of bytes is hashed byte by byte unless its memory is given as a whole.
  func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
