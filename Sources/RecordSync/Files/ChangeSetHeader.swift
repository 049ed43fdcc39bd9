import RecordStore

/// The first bytes of a change-set file, little-endian:
///
/// | offset | bytes | what |
/// |---:|---:|---|
/// | 0 | 8 | magic `TNDMCSET` |
/// | 8 | 2 | format version: 1; 2 with a once transaction; 3 for a packed file; 4 if it names large values |
/// | 10 | 2 | the least reader version that understands the file: the same |
/// | 12 | 4 | length of the header, its checksum included |
/// | 16 | 16 | store id, high half first |
/// | 32 | 8 | replica |
/// | 40 | 8 | first sequence number |
/// | 48 | 8 | last sequence number |
/// | 56 | 32 | SHA-256 of the file before this one in the replica's stream, or zeros |
/// | 88 | 8 | payload length: what all blocks hold together |
/// | 96 | 4 | block size |
/// | 100 | 4 | length of the schema description, as it lies here |
/// | 104 | 12 | from format 3 on: its length when unpacked, u32; length of all blocks together, as they lie here, u64 |
/// | 104, from format 3 on 116 | … | schema description: the author's catalogue as JSON |
/// | … | 4 | CRC-32C of the header up to here |
struct ChangeSetHeader: Hashable {
  static let magic = Array("TNDMCSET".utf8)
  /// The newest that this build reads.
  static let formatVersion: UInt16 = 4
  /// From this one on, files are packed.
  static let packedVersion: UInt16 = 3
  /// From this one on, a file names large values, which lie in files of their own.
  static let referringVersion: UInt16 = 4
  static let maximumSchemaBytes = 8 << 20
  static let maximumPayloadBytes = 1 << 30
  /// The length before each transaction.
  static let lengthBytes = 4
  static let maximumBlockBytes = 256 << 10
  /// No file holds more; the smallest transactions fill one of the usual size eight times less.
  static let maximumTransactionCount: UInt64 = 1 << 18
  /// The payload that a file may hold however small it is.
  static let freePayloadBytes = 64 << 20
  /// Beyond that, a file holds at most so many bytes for each of its own: else a few megabytes would take gigabytes of
  /// memory. A payload that packs better lies there unpacked.
  static let greatestExpansion = 16

  var leastReader: UInt16
  var storeID: RecordID
  var replica: ReplicaID
  var from: UInt64
  var to: UInt64
  var previousHash: [UInt8]
  var payloadBytes: Int
  /// The bytes of all blocks together, as they lie in the file.
  var storedBytes: Int
  var blockBytes = ChangeSetHeader.maximumBlockBytes
  var schemaDescription: [UInt8]
  /// As it lies in the file: packed, if that made it smaller.
  private let storedSchema: [UInt8]

  var isPacked: Bool { leastReader >= ChangeSetHeader.packedVersion }
  var holdsReferences: Bool { leastReader >= ChangeSetHeader.referringVersion }
  private var fixedBytes: Int { isPacked ? 116 : 104 }
  var headerBytes: Int { fixedBytes + storedSchema.count + 4 }
  var blockCount: Int { (payloadBytes + blockBytes - 1) / blockBytes }
  /// The size that the whole file must have.
  var fileBytes: Int {
    headerBytes + storedBytes + blockCount * 8 + ContentHash.byteCount + ChangeSetCodec.endMagic.count
  }

  /// Whether a reader takes so much from so little.
  static func isExpansionAllowed(_ payloadBytes: UInt64, in storedBytes: UInt64) -> Bool {
    payloadBytes <= UInt64(freePayloadBytes) || payloadBytes / UInt64(greatestExpansion) <= storedBytes
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
    header.put(UInt32(storedSchema.count))
    if isPacked {
      header.put(UInt32(schemaDescription.count))
      header.put(UInt64(storedBytes))
    }
    header.put(raw: storedSchema)
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
    from = try reader.sequence()
    to = try reader.sequence()
    previousHash = Array(try reader.take(ContentHash.byteCount))
    let payload: UInt64 = try reader.integer()
    let block: UInt32 = try reader.integer()
    let schema: UInt32 = try reader.integer()
    let isPacked = leastReader >= ChangeSetHeader.packedVersion
    let schemaBytes = isPacked ? try reader.integer() : schema
    let stored = isPacked ? try reader.integer() : payload
    guard payload <= UInt64(ChangeSetHeader.maximumPayloadBytes), stored <= payload, block > 0,
      block <= UInt32(ChangeSetHeader.maximumBlockBytes), from >= 1, to >= from, to - from < payload / 4 + 1,
      schemaBytes <= UInt32(ChangeSetHeader.maximumSchemaBytes), schema <= schemaBytes,
      to - from < ChangeSetHeader.maximumTransactionCount, ChangeSetHeader.isExpansionAllowed(payload, in: stored),
      BlockPacker.couldHold(payload, in: stored), BlockPacker.couldHold(UInt64(schemaBytes), in: UInt64(schema))
    else { throw reader.damage }
    payloadBytes = Int(payload)
    storedBytes = Int(stored)
    blockBytes = Int(block)
    let packed = try reader.take(Int(schema))
    storedSchema = Array(packed)
    schemaDescription = []
    let checksum: UInt32 = try reader.integer()
    guard length == headerBytes,
      checksum == CRC32C.checksum(bytes.prefix(headerBytes - 4)),
      let unpacked = schema < schemaBytes ? BlockPacker.unpack(packed, byteCount: Int(schemaBytes)) : storedSchema
    else { throw reader.damage }
    schemaDescription = unpacked
  }

  /// `storedBytes`: the length of all blocks together.
  init(_ set: ChangeSet, payloadBytes: Int, storedBytes: Int) {
    leastReader = set.leastReader
    storeID = set.storeID
    replica = set.replica
    from = set.firstSequence
    to = set.lastSequence
    previousHash = set.previousHash
    schemaDescription = set.schemaDescription
    storedSchema = (set.isPacked ? BlockPacker.pack(set.schemaDescription[...]) : nil) ?? set.schemaDescription
    self.payloadBytes = payloadBytes
    self.storedBytes = storedBytes
  }
}
