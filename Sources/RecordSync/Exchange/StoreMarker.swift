import RecordStore

/// The file `STORE` of an exchange folder: identical bytes from every creator.
///
/// Magic `TNDMSTOR` · format u16 · store id · key salt (16 bytes, derived from the store id, for encryption to
/// come) · CRC-32C. Where it is missing although the folder was used before, the folder is unmounted or wiped.
struct StoreMarker: Hashable {
  static let name = "STORE"
  private static let magic = Array("TNDMSTOR".utf8)
  private static let formatVersion: UInt16 = 1
  static let fileBytes = 8 + 2 + 16 + 16 + 4

  /// What formats to come may need.
  static let maximumFileBytes = 4096

  let storeID: RecordID

  /// Whether bytes are some store's marker, of this format or one to come.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    let checksum = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return bytes.starts(with: magic) && checksum == CRC32C.checksum(bytes.dropLast(4))
  }

  var encoded: [UInt8] {
    var writer = FileWriter()
    writer.put(raw: StoreMarker.magic)
    writer.put(StoreMarker.formatVersion)
    writer.put(storeID)
    writer.put(raw: ContentHash(of: Array("tandem key salt \(storeID)".utf8)).bytes.prefix(16))
    writer.put(CRC32C.checksum(writer.bytes[...]))
    return writer.bytes
  }
}
