import RecordStore

/// A piece of a snapshot's payload: magic `TNDMSNPC` · format u16 · store id · index u32 · length of the contents u32 ·
/// what lies there (length u32, bytes) · CRC-32C of all before · SHA-256 of all before.
///
/// Contents that lie there in fewer bytes are packed (`BlockPacker`). Format 1 knows no packing: there the length
/// stands once.
enum SnapshotChunk {
  static let magic = Array("TNDMSNPC".utf8)
  static let formatVersion: UInt16 = 2
  static let packedVersion: UInt16 = 2
  static let maximumContentBytes = 1 << 20
  static let maximumFileBytes = maximumContentBytes + 128
  /// A chunk holds at most so many bytes for each of its own, or a few megabytes would take gigabytes of memory. What
  /// packs better lies there unpacked.
  static let greatestExpansion = ChangeSetHeader.greatestExpansion

  static func encode(_ contents: ArraySlice<UInt8>, index: Int, storeID: RecordID) -> [UInt8] {
    var stored = BlockPacker.pack(contents)?[...] ?? contents
    if !isExpansionAllowed(contents.count, in: stored.count) { stored = contents }
    var writer = FileWriter(reserving: stored.count + 128)
    writer.put(raw: magic)
    writer.put(formatVersion)
    writer.put(storeID)
    writer.put(UInt32(index))
    writer.put(UInt32(contents.count))
    writer.put(counted: stored)
    writer.put(CRC32C.checksum(writer.bytes[...]))
    writer.put(raw: ContentHash(of: writer.bytes).bytes)
    return writer.bytes
  }

  private static func isExpansionAllowed(_ contentBytes: Int, in storedBytes: Int) -> Bool {
    contentBytes / greatestExpansion <= storedBytes
  }

  /// The contents. Throws `damagedFile` for anything but the chunk that the manifest names.
  static func decode(
    _ bytes: [UInt8], index: Int, of chunk: SnapshotManifest.Chunk, storeID: RecordID, subject: String
  ) throws -> ArraySlice<UInt8> {
    var reader = FileReader(bytes, subject: subject)
    let format = try readHead(&reader, index, storeID)
    if format >= packedVersion, try Int(reader.integer(UInt32.self)) != chunk.byteCount { throw reader.damage }
    let stored = try reader.counted(limit: chunk.byteCount)
    let checked = bytes.prefix(bytes.count - reader.remaining)
    guard try reader.integer(UInt32.self) == CRC32C.checksum(checked) else { throw reader.damage }
    let hashed = bytes.prefix(bytes.count - reader.remaining)
    guard try Array(reader.take(ContentHash.byteCount)) == ContentHash(of: hashed).bytes else { throw reader.damage }
    try reader.end()
    let contents = format >= packedVersion ? try unpacked(stored, of: chunk, reader.damage) : stored
    guard contents.count == chunk.byteCount, ContentHash(of: contents) == chunk.hash else { throw reader.damage }
    return contents
  }

  private static func readHead(_ reader: inout FileReader, _ index: Int, _ storeID: RecordID) throws -> UInt16 {
    guard try Array(reader.take(8)) == magic else { throw reader.damage }
    let format: UInt16 = try reader.integer()
    guard format <= formatVersion, try reader.recordID() == storeID,
      try reader.integer(UInt32.self) == UInt32(index)
    else { throw reader.damage }
    return format
  }

  /// Throws `damagedFile` for bytes that are no chunk with this index, or not as they were written. A small part of the
  /// cost of reading what is packed in them.
  static func prove(_ bytes: [UInt8], index: Int, storeID: RecordID, subject: String) throws {
    var reader = FileReader(bytes, subject: subject)
    _ = try readHead(&reader, index, storeID)
    let tail = 4 + ContentHash.byteCount
    guard reader.remaining >= tail else { throw reader.damage }
    _ = try reader.take(reader.remaining - tail)
    let checked = bytes.prefix(bytes.count - tail)
    guard try reader.integer(UInt32.self) == CRC32C.checksum(checked) else { throw reader.damage }
  }

  private static func unpacked(
    _ stored: ArraySlice<UInt8>, of chunk: SnapshotManifest.Chunk, _ damage: SyncError
  ) throws -> ArraySlice<UInt8> {
    guard stored.count < chunk.byteCount else { return stored }
    guard isExpansionAllowed(chunk.byteCount, in: stored.count),
      let contents = BlockPacker.unpack(stored, byteCount: chunk.byteCount)
    else { throw damage }
    return contents[...]
  }
}
