import RecordStore

/// A replica that writes by a version of the schema since one of its transactions.
///
/// A change set names the version of its author. A snapshot joins the work of many authors, so it carries these notes
/// of all that its store knows; see ``LaterWriters`` for their use. Earlier builds wrote none.
struct WriterVersion: Hashable, Sendable {
  var replica: ReplicaID
  var version: SchemaVersion
  var since: Stamp

  init(_ replica: ReplicaID, _ version: SchemaVersion, since: Stamp) {
    (self.replica, self.version, self.since) = (replica, version, since)
  }

  /// Throws `damagedFile`.
  init(_ attachment: StoreAttachment) throws {
    let subject = "a note of the schema by which a replica writes"
    var reader = FileReader(attachment.key.dropFirst(SyncAttachment.versions.count), subject: subject)
    replica = ReplicaID(try reader.integer())
    let numbers = try (0..<3).map { _ in Int(try reader.integer(Int64.self)) }
    version = SchemaVersion(numbers[0], numbers[1], numbers[2])
    try reader.end()
    reader = FileReader(attachment.value ?? [], subject: subject)
    since = try reader.stamp()
    try reader.end()
  }

  private var attachment: StoreAttachment {
    var key = FileWriter()
    key.put(raw: SyncAttachment.versions)
    key.put(replica.value)
    for number in [version.major, version.minor, version.patch] { key.put(Int64(number)) }
    var value = FileWriter()
    value.put(since)
    return StoreAttachment(key: key.bytes, value: value.bytes)
  }

  /// The attachments for what a store did not know yet, ``LaterWriters`` included.
  static func noting(
    _ writers: [WriterVersion], in snapshot: borrowing StoreSnapshot
  ) throws -> [StoreAttachment] {
    var notes: [StoreAttachment] = []
    for writer in writers {
      let note = writer.attachment
      if let value = try snapshot.attachment(note.key) {
        let known = try WriterVersion(StoreAttachment(key: note.key, value: value))
        if known.since <= writer.since { continue }
      }
      notes.append(note)
    }
    let beginnings = writers.map { (replica: $0.replica, version: $0.version, since: $0.since) }
    if let later = try LaterWriters.noting(beginnings, in: snapshot) { notes.append(later) }
    return notes
  }
}
