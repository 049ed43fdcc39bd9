import RecordStore

/// The first bytes of a change-set file, little-endian:
///
/// | offset | bytes | what |
/// |---:|---:|---|
/// | 0 | 8 | magic `TNDMCSET` |
/// | 8 | 2 | format version: 1, or 2 with a once transaction |
/// | 10 | 2 | the least reader version that understands the file: the same |
/// | 12 | 4 | length of the header, its checksum included |
/// | 16 | 16 | store id, high half first |
/// | 32 | 8 | replica |
/// | 40 | 8 | first sequence number |
/// | 48 | 8 | last sequence number |
/// | 56 | 32 | SHA-256 of the file before this one in the replica's stream, or zeros |
/// | 88 | 8 | payload length: all blocks' contents together |
/// | 96 | 4 | block size |
/// | 100 | 4 | length of the schema description |
/// | 104 | … | schema description: the author's catalogue as JSON |
/// | … | 4 | CRC-32C of the header up to here |
struct ChangeSetHeader: Hashable {
  static let magic = Array("TNDMCSET".utf8)
  /// The newest that this build reads. Files are written in the oldest that holds what is in them.
  static let formatVersion: UInt16 = 2
  static let fixedBytes = 104
  static let maximumSchemaBytes = 8 << 20
  static let maximumPayloadBytes = 1 << 30
  static let maximumBlockBytes = 256 << 10

  var leastReader: UInt16
  var storeID: RecordID
  var replica: ReplicaID
  var from: UInt64
  var to: UInt64
  var previousHash: [UInt8]
  var payloadBytes: Int
  var blockBytes = ChangeSetHeader.maximumBlockBytes
  var schemaDescription: [UInt8]

  var headerBytes: Int { ChangeSetHeader.fixedBytes + schemaDescription.count + 4 }
  var blockCount: Int { (payloadBytes + blockBytes - 1) / blockBytes }
  /// What the whole file must measure.
  var fileBytes: Int {
    headerBytes + payloadBytes + blockCount * 8 + ContentHash.byteCount + ChangeSetCodec.endMagic.count
  }

  func write(into writer: inout FileWriter) {
    var header = FileWriter(reserving: headerBytes)
    header.put(raw: ChangeSetHeader.magic)
    header.put(leastReader)
    header.put(leastReader)
    header.put(UInt32(headerBytes))
    header.put(storeID)
    header.put(replica.value)
    header.put(from)
    header.put(to)
    header.put(raw: previousHash)
    header.put(UInt64(payloadBytes))
    header.put(UInt32(blockBytes))
    header.put(counted: schemaDescription)
    header.put(CRC32C.checksum(header.bytes[...]))
    writer.put(raw: header.bytes)
  }

  /// Reads the header at the beginning of `bytes`, which may end anywhere behind it.
  init(_ bytes: ArraySlice<UInt8>, subject: String) throws {
    var reader = FileReader(bytes, subject: subject)
    guard try Array(reader.take(8)) == ChangeSetHeader.magic else {
      throw SyncError(.foreignFile, "\(subject) is not a change set; remove it from this folder")
    }
    _ = try reader.integer(UInt16.self)
    leastReader = try reader.integer()
    let length = Int(try reader.integer(UInt32.self))
    guard leastReader <= ChangeSetHeader.formatVersion else {
      throw SyncError(
        .newerFormat,
        "\(subject) needs a reader of format \(leastReader), this build reads up to "
          + "\(ChangeSetHeader.formatVersion); update the app")
    }
    storeID = try reader.recordID()
    replica = ReplicaID(try reader.integer())
    from = try reader.integer()
    to = try reader.integer()
    previousHash = Array(try reader.take(ContentHash.byteCount))
    let payload: UInt64 = try reader.integer()
    let block: UInt32 = try reader.integer()
    schemaDescription = Array(try reader.counted(limit: ChangeSetHeader.maximumSchemaBytes))
    guard payload <= UInt64(ChangeSetHeader.maximumPayloadBytes), block > 0,
      block <= UInt32(ChangeSetHeader.maximumBlockBytes), from >= 1, to >= from, to - from < payload / 4 + 1
    else { throw reader.damage }
    payloadBytes = Int(payload)
    blockBytes = Int(block)
    let checksum: UInt32 = try reader.integer()
    guard length == headerBytes,
      checksum == CRC32C.checksum(bytes.prefix(headerBytes - 4))
    else { throw reader.damage }
  }

  init(_ set: ChangeSet, payloadBytes: Int) {
    leastReader = set.leastReader
    storeID = set.storeID
    replica = set.replica
    from = set.firstSequence
    to = set.lastSequence
    previousHash = set.previousHash
    schemaDescription = set.schemaDescription
    self.payloadBytes = payloadBytes
  }
}
