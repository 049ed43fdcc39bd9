import LMDB

/// Keys of table `hidden`: records that exist as facts only. Entity number u32, then the id, both most
/// significant byte first; the value is the record's bytes.
enum HiddenTable {
  static func prefix(_ entity: EntityNumber) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(20)
    key.append(bigEndian: UInt32(entity))
    return key
  }

  static func key(_ key: RecordKey) -> [UInt8] {
    var bytes = prefix(key.entity)
    key.id.append(to: &bytes)
    return bytes
  }

  static func recordKey(_ bytes: RawBytes) -> RecordKey? {
    guard bytes.count == 20 else { return nil }
    let entity = EntityNumber(bytes.load(at: 0, as: UInt32.self).byteSwapped)
    return RecordKey(entity: entity, id: RecordID(bytes: bytes, at: 4))
  }
}

/// Keys of table `backrefs`: each reference that no index shows, because its holder is invisible or its target
/// is. Target id · holder's entity u32 · ordinal u16 · holder id; no value.
enum BackReferenceTable {
  static let keyByteCount = 38

  static func key(target: RecordID, holder: RecordKey, ordinal: Int) -> [UInt8] {
    var key = GrowingBytes(capacity: keyByteCount)
    write(target: target, holder: holder, ordinal: ordinal, to: &key)
    return key.bytes
  }

  /// Appends a key.
  static func write(target: RecordID, holder: RecordKey, ordinal: Int, to key: inout GrowingBytes) {
    key.append(target)
    key.append(bigEndian: UInt32(holder.entity))
    key.append(bigEndian: UInt16(ordinal))
    key.append(holder.id)
  }

  struct Entry: Hashable {
    let target: RecordID
    let holder: RecordKey
    let ordinal: Int
  }

  static func entry(_ bytes: RawBytes) -> Entry? {
    guard bytes.count == keyByteCount else { return nil }
    let entity = EntityNumber(bytes.load(at: 16, as: UInt32.self).byteSwapped)
    return Entry(
      target: RecordID(bytes: bytes, at: 0),
      holder: RecordKey(entity: entity, id: RecordID(bytes: bytes, at: 22)),
      ordinal: Int(bytes.load(at: 20, as: UInt16.self).byteSwapped))
  }
}

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
