import LMDB
import RecordStore

@testable import RecordSync

extension Harness {
  /// Manifest, chunk or payload of a snapshot, as its first bytes say.
  static let snapshot = Harness("snapshot", errors: [SyncError.self, StoreError.self]) { bytes in
    if bytes.starts(with: SnapshotManifest.magic) {
      try SnapshotHarness.readManifest(bytes.sealedAtEnd)
    } else if bytes.starts(with: SnapshotChunk.magic) {
      try SnapshotHarness.readChunk(bytes)
    } else {
      try SnapshotHarness.readPayload(bytes)
    }
  }
}

private enum SnapshotHarness {
  /// Fits the golden snapshot, and goes on with a field of every type: a payload's records are read by it.
  static let author = Catalogue(entities: [
    CatalogueEntity(
      number: 0, name: "Every",
      fields: ([.string, .int] + FieldType.allCases).enumerated().map { ordinal, type in
        CatalogueField(ordinal: ordinal, name: "\(type) \(ordinal)", type: type, isOptional: true)
      }),
    CatalogueEntity(
      number: 1, name: "House",
      fields: [CatalogueField(ordinal: 0, name: "street", type: .string, isOptional: false)]),
  ])

  static func readManifest(_ bytes: [UInt8]) throws {
    let manifest = try SnapshotManifest(bytes, subject: "a fuzzed manifest")
    try promise(
      try SnapshotManifest(manifest.encoded(), subject: "it").encoded() == manifest.encoded(),
      "a manifest that was written and read again is another")
    _ = manifest.vector.total
  }

  static func readChunk(_ bytes: [UInt8]) throws {
    let storeID = RecordID(high: 0x601D, low: 1)
    let (sealed, contents) = bytes.sealedChunk
    let named = SnapshotManifest.Chunk(byteCount: contents.count, hash: ContentHash(of: contents))
    _ = try SnapshotChunk.decode(sealed, index: 0, of: named, storeID: storeID, subject: "a fuzzed chunk")
  }

  static func readPayload(_ bytes: [UInt8]) throws {
    let content = try SnapshotContent(bytes, author: author, subject: "a fuzzed payload")
    let written = content.encoded()
    try promise(
      try SnapshotContent(written, author: author, subject: "it").encoded() == written,
      "a payload that was written and read again is another")
    // As a store would keep them.
    for record in content.records {
      let stored = try RecordEncoding(record, fieldCount: author.entities[record.entity].fields.count).bytes()
      _ = try stored.withRawBytes { bytes throws in
        try RecordFacts(decoding: bytes, id: record.id, entity: author.entities[record.entity])
      }
    }
  }
}
