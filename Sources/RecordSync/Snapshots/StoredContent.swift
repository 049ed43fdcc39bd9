import RecordStore

/// The contents of a snapshot in the folder. Its records are read from the files each time, one after another; the rest
/// is in memory.
struct StoredContent: Sendable {
  let author: Catalogue
  /// All but the records.
  private(set) var content = SnapshotContent()
  private let stored: StoredSnapshot
  var manifest: SnapshotManifest { stored.manifest }
  var path: String { stored.path }

  /// Reads all chunks. Throws `damagedFile` while one is missing or damaged; the message names it.
  init(_ stored: StoredSnapshot) throws {
    self.stored = stored
    author = try SchemaDescription.decode(stored.manifest.schemaDescription, subject: stored.path)
    var content = SnapshotContent()
    try forEachItem { kind, item in
      guard kind != SnapshotContent.Kind.record.rawValue else { return item.skip() }
      try content.take(kind, &item, author: author, subject: path)
    }
    self.content = content
  }

  /// Reads the records, in the numbers of their author.
  func forEachRecord(_ body: (RecordFacts) throws -> Void) throws {
    var one = SnapshotContent()
    try forEachItem { kind, item in
      guard kind == SnapshotContent.Kind.record.rawValue else { return item.skip() }
      try one.take(kind, &item, author: author, subject: path)
      if let record = one.records.popLast() { try body(record) }
    }
  }

  private func forEachItem(_ body: (UInt8, inout FileReader) throws -> Void) throws {
    var items = SnapshotItems(subject: path)
    try stored.forEachChunk { contents in
      try CancellationRequest.check()
      try items.add(contents, body)
    }
    try items.end()
  }
}
