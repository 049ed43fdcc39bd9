import RecordStore

/// The file `STORE` of an exchange folder: identical bytes from every creator.
///
/// Magic `TNDMSTOR` · format u16 · store id · 16 bytes · CRC-32C. In format 1 the 16 bytes follow from the store id and
/// mean nothing; format 2 is that of an encrypted folder, and they are the id of its key. Where the file is missing
/// although the folder was used before, the folder is unmounted or wiped.
struct StoreMarker: Hashable {
  static let name = "STORE"
  private static let magic = Array("TNDMSTOR".utf8)
  private static let plainFormat: UInt16 = 1
  private static let sealedFormat: UInt16 = 2
  static let fileBytes = 8 + 2 + 16 + 16 + 4

  /// The room that formats to come may need.
  static let maximumFileBytes = 4096

  let storeID: RecordID
  /// Nil where the folder is not encrypted.
  let keyID: String?

  init(storeID: RecordID, keyID: String? = nil) { (self.storeID, self.keyID) = (storeID, keyID) }

  /// Nil for what is no whole marker of a known format.
  init?(_ bytes: [UInt8]) throws {
    guard StoreMarker.isWhole(bytes), bytes.count == StoreMarker.fileBytes else { return nil }
    var reader = FileReader(bytes, subject: StoreMarker.name)
    _ = try reader.take(StoreMarker.magic.count)
    let format: UInt16 = try reader.integer()
    storeID = try reader.recordID()
    let id = ContentHash(bytes: Array(try reader.take(FamilyKey.idBytes))).name
    keyID = format == StoreMarker.sealedFormat ? id : nil
    guard encoded == bytes else { return nil }
  }

  /// Whether bytes are some store's marker, of this format or one to come.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    let checksum = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return bytes.starts(with: magic) && checksum == CRC32C.checksum(bytes.dropLast(4))
  }

  var encoded: [UInt8] {
    var writer = FileWriter()
    writer.put(raw: StoreMarker.magic)
    writer.put(keyID == nil ? StoreMarker.plainFormat : StoreMarker.sealedFormat)
    writer.put(storeID)
    if let keyID {
      writer.put(UInt64(keyID.prefix(16), radix: 16).map(\.byteSwapped) ?? 0)
      writer.put(UInt64(keyID.suffix(16), radix: 16).map(\.byteSwapped) ?? 0)
    } else {
      writer.put(raw: ContentHash(of: Array("tandem key salt \(storeID)".utf8)).bytes.prefix(16))
    }
    writer.put(CRC32C.checksum(writer.bytes[...]))
    return writer.bytes
  }
}
