import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// The bytes of heads, snapshots and notices, for ever (`SyncFixtures/golden`), and what their readers make of damage.
struct SyncFormatTests {
  private static let golden = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/golden").standardizedFileURL

  private func golden(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Self.golden.appending(path: path)))
  }

  private static let vector = VersionVector(entries: [
    ReplicaID(7): .init(sequence: 42, stamp: stamp(3 << 20, 7)),
    ReplicaID(0xA1B2_C3D4): .init(sequence: 1, stamp: stamp(1 << 20, 0xA1B2_C3D4)),
  ])

  private static var head: ReplicaHead {
    var head = ReplicaHead(
      storeID: RecordID(high: 0x601D, low: 1), replica: ReplicaID(7), lastSequence: 42, clock: stamp(3 << 20, 7),
      applied: vector, displayName: "Оленин телефон")
    head.schemaID = Array(1...16)
    head.oldestSequence = 12
    head.attested = [String(repeating: "a", count: 32) + "-" + String(repeating: "b", count: 32), "short"]
    return head
  }

  private static var content: SnapshotContent {
    get throws {
      let (early, late) = (stamp(1 << 20, 7), stamp(3 << 20, 7))
      let key = try OnceKey("purchase 42")
      var content = SnapshotContent()
      content.records = [
        RecordFacts(
          entity: 0, id: id(1), isInserted: true, touch: late,
          registers: [
            .init(ordinal: 0, value: .string("Ola"), stamp: early), .init(ordinal: 1, value: .int(4), stamp: late),
            .init(ordinal: 2, value: .null, stamp: early),
          ]),
        RecordFacts(
          entity: 1, id: id(2), isInserted: true, touch: early, deleted: late,
          onceInserts: [.init(keyHash: key.hash, stamp: early)],
          registers: [.init(ordinal: 0, value: .string("Lesna"), stamp: early, isOnce: true)]),
      ]
      content.aliases = [id(9): id(1)]
      content.pastWrites = [
        RecordPastWrite(
          entity: 0, id: id(1), write: PastWrite(ordinal: 0, stamp: stamp(1 << 19, 7), value: .string("Olga")))
      ]
      content.contexts = [CausalContext(since: early, context: vector)]
      content.once = [OnceEntry(key: key, runs: [early, late])]
      content.attachments = [
        StoreAttachment(key: SyncAttachment.retired + [0, 0, 0, 0, 0, 0, 0, 9], value: [1])
      ]
      return content
    }
  }

  private static func manifest(of payload: [UInt8]) throws -> SnapshotManifest {
    SnapshotManifest(
      storeID: RecordID(high: 0x601D, low: 1), replica: ReplicaID(7), clock: stamp(3 << 20, 7), vector: vector,
      // From its own file: what a catalogue says of itself may grow.
      schemaDescription: [UInt8](try Data(contentsOf: golden.appending(path: "snapshot-2/schema.json"))),
      chunks: [.init(byteCount: payload.count, hash: ContentHash(of: payload))])
  }

  private static let notice = SyncNotice(
    collection: SyncNotice.Part(
      cut: vector, records: [Forgetting.Record(entity: 1, id: id(2)), Forgetting.Record(entity: 0, id: id(3))]),
    retired: [ReplicaID(9), ReplicaID(10)])

  /// All that one transaction of format 2 can say: a once key and a notice.
  private static var transaction: TransactionFacts {
    get throws {
      let late = stamp(3 << 20, 7)
      let key = try OnceKey("purchase 42")
      return TransactionFacts(
        dot: Dot(replica: ReplicaID(7), sequence: 42), stamp: late, author: "phone", context: vector, once: key,
        records: [
          RecordFacts(
            entity: 1, id: key.recordID(entity: "House", ordinal: 0), isInserted: true,
            onceInserts: [.init(keyHash: key.hash, stamp: late)],
            registers: [.init(ordinal: 0, value: .string("Lesna"), stamp: late, isOnce: true)]),
          RecordFacts(entity: 0, id: id(3), deleted: late),
        ], notice: notice.encoded)
    }
  }

  /// Every format with a golden file: its place, and what is written today.
  static func written() throws -> [(path: String, bytes: [UInt8])] {
    let payload = try content.encoded()
    let storeID = RecordID(high: 0x601D, low: 1)
    return [
      ("head-2/phone.thd", head.encoded()),
      ("snapshot-2/payload", payload),
      ("snapshot-2/chunk", SnapshotChunk.encode(payload[...], index: 0, storeID: storeID)),
      ("snapshot-2/manifest", try manifest(of: payload).encoded()),
      ("notice-1/collection", notice.encoded),
      ("transaction-2/once-notice", try TransactionCodec.encode(transaction)),
    ]
  }

  @Test func `everything is written as the golden files are`() throws {
    for (path, bytes) in try Self.written() { #expect(try golden(path) == bytes, "\(path)") }
  }

  @Test func `the golden files read as what they were made of`() throws {
    #expect(try ReplicaHead(golden("head-2/phone.thd"), subject: "it") == Self.head)
    let manifest = try SnapshotManifest(golden("snapshot-2/manifest"), subject: "it")
    #expect(try manifest == Self.manifest(of: golden("snapshot-2/payload")))
    let contents = try SnapshotChunk.decode(
      golden("snapshot-2/chunk"), index: 0, of: manifest.chunks[0], storeID: manifest.storeID, subject: "it")
    let author = try SchemaDescription.decode(manifest.schemaDescription, subject: "it")
    #expect(try SnapshotContent(Array(contents), author: author, subject: "it") == Self.content)
    #expect(try SyncNotice(golden("notice-1/collection")) == Self.notice)
    let decoded = try TransactionCodec.decode(golden("transaction-2/once-notice")) {
      household.entities[$0].fields[$1].type
    }
    #expect(try decoded == Self.transaction)
  }

  @Test func `a snapshot of the first format reads as ever, and is copied with the same bytes`() throws {
    let manifest = try SnapshotManifest(golden("snapshot-1/manifest"), subject: "it")
    #expect(try manifest.encoded() == golden("snapshot-1/manifest"))
    let contents = try SnapshotChunk.decode(
      golden("snapshot-1/chunk"), index: 0, of: manifest.chunks[0], storeID: manifest.storeID, subject: "it")
    #expect(try Array(contents) == golden("snapshot-1/payload"))
    let author = try SchemaDescription.decode(manifest.schemaDescription, subject: "it")
    #expect(try SnapshotContent(Array(contents), author: author, subject: "it") == Self.content)
  }

  @Test func `what packs lies in a chunk in fewer bytes, up to a bound`() throws {
    let storeID = RecordID(high: 0x601D, low: 1)
    var random = SeededGenerator(seed: 4)
    let texts = (0..<20_000).flatMap { Array("name \($0), category \(random.next() % 7); ".utf8) }
    let noise = (0..<100_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    for (contents, isSmaller) in [(texts, true), (noise, false), ([UInt8](repeating: 7, count: 1 << 20), false)] {
      let contents = contents.prefix(SnapshotChunk.maximumContentBytes)
      let file = SnapshotChunk.encode(contents, index: 3, storeID: storeID)
      #expect((file.count < contents.count / 2) == isSmaller, "\(file.count) of \(contents.count)")
      let chunk = SnapshotManifest.Chunk(byteCount: contents.count, hash: ContentHash(of: contents))
      #expect(try SnapshotChunk.decode(file, index: 3, of: chunk, storeID: storeID, subject: "it") == contents)
    }
  }

  /// A format, whether it carries a checksum of its own, and its reader.
  private struct Decoder {
    var name: String
    var bytes: [UInt8]
    var isChecked: Bool
    var decode: ([UInt8]) throws -> Void
  }

  private func decoders() throws -> [Decoder] {
    let payload = try Self.content.encoded()
    let manifest = try Self.manifest(of: payload)
    let storeID = manifest.storeID
    let set = try smallChangeSet()
    let record = ExportRecord(set, file: ChangeSetCodec.file(of: set), schemaKey: [3, 4])
    let conflict = Conflict(
      kind: .editLost, entity: 0, record: id(1), lostStamp: stamp(1, 7), winningStamp: stamp(2, 7),
      fields: [.init(ordinal: 1, lost: .int(4), winning: .null)], loggedAtMilliseconds: 5)
    let collection = TombstoneCollection(
      stamp: stamp(3 << 20, 7), covered: Self.vector, cut: Self.vector,
      records: [Forgetting.Record(entity: 1, id: id(2))])
    let records = ForgottenRecords(collection.records.map(\.id), cut: collection.cut)
    let forgotten = try #require(records.attachment(named: stamp(1, 7)).value)
    let transaction = TransactionCodec.encode(try Self.transaction)
    let typeOf = { (entity: EntityNumber, ordinal: Int) throws -> FieldType in
      guard entity < 2, ordinal < household.entities[entity].fields.count else {
        throw SyncError(.damagedFile, "no such field")
      }
      return household.entities[entity].fields[ordinal].type
    }
    return [
      Decoder(name: "head", bytes: Self.head.encoded(), isChecked: true) { _ = try ReplicaHead($0, subject: "it") },
      Decoder(name: "manifest", bytes: manifest.encoded(), isChecked: true) {
        _ = try SnapshotManifest($0, subject: "it")
      },
      Decoder(name: "chunk", bytes: SnapshotChunk.encode(payload[...], index: 0, storeID: storeID), isChecked: true) {
        _ = try SnapshotChunk.decode($0, index: 0, of: manifest.chunks[0], storeID: storeID, subject: "it")
      },
      Decoder(name: "transaction", bytes: transaction, isChecked: true) {
        _ = try TransactionCodec.decode($0, fieldType: typeOf)
      },
      Decoder(name: "payload", bytes: payload, isChecked: false) {
        _ = try SnapshotContent($0, author: household, subject: "it")
      },
      Decoder(name: "notice", bytes: Self.notice.encoded, isChecked: false) { _ = try SyncNotice($0) },
      Decoder(
        name: "export record", bytes: try #require(record.attachment(storeID: storeID, replica: ReplicaID(1)).value),
        isChecked: false
      ) { _ = try ExportRecord($0) },
      Decoder(name: "conflict", bytes: conflict.encoded, isChecked: false) {
        _ = try Conflict(key: conflict.key, value: $0)
      },
      Decoder(name: "conflict's key", bytes: conflict.key, isChecked: false) {
        _ = try Conflict(key: $0, value: conflict.encoded)
      },
      Decoder(name: "forgotten records", bytes: forgotten, isChecked: false) { _ = try ForgottenRecords($0) },
      Decoder(name: "schema", bytes: try SchemaDescription.encode(household), isChecked: false) {
        _ = try SchemaDescription.decode($0, subject: "it")
      },
    ]
  }

  /// True if the reader took the bytes; any error but those two would be a reader that lost its way.
  private func isTaken(_ bytes: [UInt8], by decoder: Decoder) -> Bool {
    do {
      try decoder.decode(bytes)
      return true
    } catch is SyncError {
      return false
    } catch is StoreError {
      return false
    } catch {
      Issue.record("the reader of a \(decoder.name) threw \(error)")
      return false
    }
  }

  @Test func `every reader takes the whole and refuses every part`() throws {
    for decoder in try decoders() {
      #expect(isTaken(decoder.bytes, by: decoder), "\(decoder.name)")
      for count in 0..<decoder.bytes.count where isTaken(Array(decoder.bytes.prefix(count)), by: decoder) {
        // A list of parts may end after any of them where nothing around it says how many there are.
        #expect(["payload", "notice", "forgotten records"].contains(decoder.name), "\(decoder.name), \(count) bytes")
      }
      let longer = isTaken(decoder.bytes + [0], by: decoder)
      #expect(!longer, "\(decoder.name)")
    }
  }

  @Test func `every flipped bit is refused where there is a checksum, and harmless elsewhere`() throws {
    for decoder in try decoders() {
      for bit in 0..<decoder.bytes.count * 8 {
        var damaged = decoder.bytes
        damaged[bit / 8] ^= 1 << (bit % 8)
        if isTaken(damaged, by: decoder) { #expect(!decoder.isChecked, "\(decoder.name), bit \(bit)") }
      }
    }
  }

  @Test func `lengths that lie, and noise, take no memory and end no process`() throws {
    var generator = SeededGenerator.announced()
    for decoder in try decoders() {
      for place in 0..<max(0, decoder.bytes.count - 4) {
        for lie in [UInt32.max, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF] {
          var damaged = decoder.bytes
          damaged.replaceSubrange(place..<place + 4, with: withUnsafeBytes(of: lie) { Array($0) })
          if isTaken(damaged, by: decoder) { #expect(!decoder.isChecked, "\(decoder.name), \(place)") }
        }
      }
      for _ in 0..<500 {
        var damaged = decoder.bytes
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
          damaged[Int.random(in: damaged.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        _ = isTaken(damaged, by: decoder)
      }
    }
  }
}
