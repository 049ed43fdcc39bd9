import RecordStore

/// A snapshot's name and its parts; written last, so that a snapshot without one is not there.
///
/// Magic `TNDMSNAP` · format u16: 1, 2 with chunks that may be packed, or 3 if it names large values, which lie
/// in files of their own · least reader u16: the same · store id ·
/// replica · clock (stamp) · version vector · payload length u64 · schema description (length, bytes) · chunk count
/// u32 · each chunk: length u32, SHA-256 of its contents · CRC-32C of all before.
struct SnapshotManifest: Hashable, Sendable {
  struct Chunk: Hashable, Sendable {
    var byteCount: Int
    var hash: ContentHash
  }
  static let magic = Array("TNDMSNAP".utf8)
  static let formatVersion: UInt16 = 3
  private static let packedVersion: UInt16 = 2
  private static let referringVersion: UInt16 = 3
  static let maximumFileBytes = 64 << 20
  static let maximumPayloadBytes = 1 << 34

  /// As they were read: a copy of another one has the same bytes.
  private var format = SnapshotManifest.packedVersion
  private var leastReader = SnapshotManifest.packedVersion
  var storeID: RecordID
  /// Whose store it was made of.
  var replica: ReplicaID
  var clock: Stamp
  /// Everything that the snapshot holds.
  var vector: VersionVector
  var schemaDescription: [UInt8]
  var chunks: [Chunk]

  /// Whether large values are named and lie in files of their own.
  var holdsReferences: Bool { leastReader >= SnapshotManifest.referringVersion }

  var payloadBytes: Int { chunks.reduce(0) { $0 + $1.byteCount } }

  func encoded() -> [UInt8] {
    var writer = FileWriter()
    writer.put(raw: SnapshotManifest.magic)
    writer.put(format)
    writer.put(leastReader)
    writer.put(storeID)
    writer.put(replica.value)
    writer.put(clock)
    writer.put(vector)
    writer.put(UInt64(payloadBytes))
    writer.put(counted: schemaDescription)
    writer.put(UInt32(chunks.count))
    for chunk in chunks {
      writer.put(UInt32(chunk.byteCount))
      writer.put(raw: chunk.hash.bytes)
    }
    writer.put(CRC32C.checksum(writer.bytes[...]))
    return writer.bytes
  }

  init(_ bytes: [UInt8], subject: String) throws {
    var reader = FileReader(bytes, subject: subject)
    guard try Array(reader.take(8)) == SnapshotManifest.magic else {
      throw SyncError(.foreignFile, "\(subject) is not a snapshot's manifest; remove it from this folder")
    }
    format = try reader.integer()
    leastReader = try reader.integer()
    guard leastReader <= SnapshotManifest.formatVersion else {
      throw SyncError(.newerFormat, "\(subject) was written by a newer version; update the app")
    }
    storeID = try reader.recordID()
    replica = ReplicaID(try reader.integer())
    clock = try reader.stamp()
    vector = try reader.versionVector()
    let payload: UInt64 = try reader.integer()
    schemaDescription = Array(try reader.counted(limit: ChangeSetHeader.maximumSchemaBytes))
    let count = Int(try reader.integer(UInt32.self))
    guard payload <= UInt64(SnapshotManifest.maximumPayloadBytes), count <= reader.remaining / 36 else {
      throw reader.damage
    }
    chunks = []
    for _ in 0..<count {
      let size = Int(try reader.integer(UInt32.self))
      guard size <= SnapshotChunk.maximumContentBytes else { throw reader.damage }
      chunks.append(Chunk(byteCount: size, hash: ContentHash(bytes: Array(try reader.take(ContentHash.byteCount)))))
    }
    let checksum: UInt32 = try reader.integer()
    try reader.end()
    guard checksum == CRC32C.checksum(bytes.dropLast(4)), UInt64(payloadBytes) == payload else { throw reader.damage }
  }

  init(
    storeID: RecordID, replica: ReplicaID, clock: Stamp, vector: VersionVector, schemaDescription: [UInt8],
    chunks: [Chunk], holdsReferences: Bool = false
  ) {
    if holdsReferences {
      (format, leastReader) = (SnapshotManifest.referringVersion, SnapshotManifest.referringVersion)
    }
    self.storeID = storeID
    self.replica = replica
    self.clock = clock
    self.vector = vector
    self.schemaDescription = schemaDescription
    self.chunks = chunks
  }
}
