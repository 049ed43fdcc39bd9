import RecordStore

/// The contents of a snapshot in the folder. Its records are read from the files each time, one after another; the rest
/// is in memory.
struct StoredContent: Sendable {
  let author: Catalogue
  /// All but the records.
  private(set) var content = SnapshotContent()
  let snapshot: StoredSnapshot
  var manifest: SnapshotManifest { snapshot.manifest }
  var path: String { snapshot.path }

  /// Reads the chunks up to the first record. Throws `damagedFile` if one of them is missing or damaged; the message
  /// names it.
  init(_ snapshot: StoredSnapshot) throws {
    self.snapshot = snapshot
    author = try SchemaDescription.decode(snapshot.manifest.schemaDescription, subject: snapshot.path)
    var content = SnapshotContent()
    do {
      try forEachItem { kind, item in
        guard kind != SnapshotContent.Kind.record.rawValue else { throw RecordsBegin() }
        try content.take(kind, &item, author: author, subject: path)
      }
    } catch is RecordsBegin {
      // The rest is read with them.
    }
    self.content = content
  }

  private struct RecordsBegin: Error {}

  /// Reads the records, in the numbers of their author. Throws `damagedFile` while a chunk is missing or damaged, and
  /// where something else follows a record.
  func forEachRecord(_ body: (RecordFacts) throws -> Void) throws {
    var one = SnapshotContent()
    var hasBegun = false
    try forEachItem { kind, item in
      guard kind == SnapshotContent.Kind.record.rawValue || hasBegun else { return item.skip() }
      hasBegun = true
      try one.take(kind, &item, author: author, subject: path)
      guard let record = one.records.popLast() else { throw item.damage }
      try body(record)
    }
  }

  private func forEachItem(_ body: (UInt8, inout FileReader) throws -> Void) throws {
    var items = SnapshotItems(subject: path)
    try ReadAhead.forEach { [snapshot] give throws in
      try snapshot.forEachChunk(give)
    } use: { contents in
      try CancellationRequest.check()
      try items.add(contents, body)
    }
    try items.end()
  }
}
