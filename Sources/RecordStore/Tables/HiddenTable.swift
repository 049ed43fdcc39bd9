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
