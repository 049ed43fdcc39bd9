import RecordStore

/// A piece of a snapshot's payload: magic `TNDMSNPC` · format u16 · store id · index u32 · length u32 · contents ·
/// CRC-32C of all before · SHA-256 of all before.
enum SnapshotChunk {
  static let magic = Array("TNDMSNPC".utf8)
  static let formatVersion: UInt16 = 1
  static let maximumContentBytes = 1 << 20
  static let maximumFileBytes = maximumContentBytes + 128

  static func encode(_ contents: ArraySlice<UInt8>, index: Int, storeID: RecordID) -> [UInt8] {
    var writer = FileWriter(reserving: contents.count + 128)
    writer.put(raw: magic)
    writer.put(formatVersion)
    writer.put(storeID)
    writer.put(UInt32(index))
    writer.put(counted: contents)
    writer.put(CRC32C.checksum(writer.bytes[...]))
    writer.put(raw: ContentHash(of: writer.bytes).bytes)
    return writer.bytes
  }

  /// The contents. Throws `damagedFile` for anything but the chunk that the manifest names.
  static func decode(
    _ bytes: [UInt8], index: Int, of chunk: SnapshotManifest.Chunk, storeID: RecordID, subject: String
  ) throws -> ArraySlice<UInt8> {
    var reader = FileReader(bytes, subject: subject)
    guard try Array(reader.take(8)) == magic, try reader.integer(UInt16.self) <= formatVersion,
      try reader.recordID() == storeID, try reader.integer(UInt32.self) == UInt32(index)
    else { throw reader.damage }
    let contents = try reader.counted(limit: chunk.byteCount)
    let checked = bytes.prefix(bytes.count - reader.remaining)
    guard try reader.integer(UInt32.self) == CRC32C.checksum(checked) else { throw reader.damage }
    let hashed = bytes.prefix(bytes.count - reader.remaining)
    guard try Array(reader.take(ContentHash.byteCount)) == ContentHash(of: hashed).bytes else { throw reader.damage }
    try reader.end()
    guard contents.count == chunk.byteCount, ContentHash(of: contents) == chunk.hash else { throw reader.damage }
    return contents
  }
}
