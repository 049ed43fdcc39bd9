import RecordStore

/// One change set that this store published: enough to make the same file with the same name again.
///
/// Noted in the store before the file is published, so that a crash in between leaves nothing undecided.
struct ExportRecord: Hashable, Sendable {
  var from: UInt64
  var to: UInt64
  var hash: ContentHash
  var previousHash: ContentHash
  var fileBytes: Int
  /// The key of the schema description that the file carries.
  var schemaKey: [UInt8]

  var name: ChangeSetName { ChangeSetName(from: from, to: to, hash: hash) }

  /// The entries of one replica's stream in one family's folder, in order.
  static func prefix(storeID: RecordID, replica: ReplicaID) -> [UInt8] {
    var writer = FileWriter()
    writer.put(raw: SyncAttachment.exports)
    writer.put(storeID)
    writer.put(replica.value)
    return writer.bytes
  }

  /// The number of a replica's last transaction that a change set of the family holds; 0 if none does.
  static func lastSequence(of replica: ReplicaID, storeID: RecordID, in snapshot: borrowing StoreSnapshot) throws
    -> UInt64
  {
    var last: UInt64 = 0
    try snapshot.forEachAttachment(prefix: prefix(storeID: storeID, replica: replica)) { _, value in
      last = try ExportRecord(value).to
      return true
    }
    return last
  }

  /// Most significant byte first, so that keys lie in order of the stream.
  func key(storeID: RecordID, replica: ReplicaID) -> [UInt8] {
    var key = FileWriter()
    key.put(raw: ExportRecord.prefix(storeID: storeID, replica: replica))
    key.put(from.byteSwapped)
    return key.bytes
  }

  func attachment(storeID: RecordID, replica: ReplicaID) -> StoreAttachment {
    var value = FileWriter()
    value.put(from)
    value.put(to)
    value.put(raw: hash.bytes)
    value.put(raw: previousHash.bytes)
    value.put(UInt64(fileBytes))
    value.put(counted: schemaKey)
    return StoreAttachment(key: key(storeID: storeID, replica: replica), value: value.bytes)
  }

  init(_ value: [UInt8]) throws {
    var reader = FileReader(value, subject: "the store's list of exported files")
    from = try reader.integer()
    to = try reader.integer()
    hash = ContentHash(bytes: Array(try reader.take(ContentHash.byteCount)))
    previousHash = ContentHash(bytes: Array(try reader.take(ContentHash.byteCount)))
    guard let size = Int(exactly: try reader.integer(UInt64.self)) else { throw reader.damage }
    fileBytes = size
    schemaKey = Array(try reader.counted(limit: 255))
    try reader.end()
  }

  init(_ set: ChangeSet, file: ChangeSetCodec.File, schemaKey: [UInt8]) {
    from = set.firstSequence
    to = set.lastSequence
    hash = file.hash
    previousHash = ContentHash(bytes: set.previousHash)
    fileBytes = file.bytes.count
    self.schemaKey = schemaKey
  }
}
