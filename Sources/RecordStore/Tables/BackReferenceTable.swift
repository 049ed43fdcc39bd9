import LMDB

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
