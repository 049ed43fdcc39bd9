import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Files of each change-set format, as the first version wrote them that knew it. They must read for ever.
struct GoldenTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/golden/change-set-1").standardizedFileURL
  private let exchange = ExchangeFolder(root: GoldenTests.folder, storeID: RecordID(high: 0x601D, low: 1))
  private let replicas = [ReplicaID(1), ReplicaID(2)]

  private var expectedDump: [String] {
    get throws {
      let text = String(decoding: try Data(contentsOf: GoldenTests.folder.appending(path: "dump.txt")), as: UTF8.self)
      return text.split(separator: "\n").map(String.init)
    }
  }

  @Test func `change sets of format 1 read, and are written again with the same bytes`() throws {
    var count = 0
    for replica in replicas {
      for file in try exchange.listing(of: replica).files {
        let bytes = try DurableFile.read(file.url, limit: 1 << 20)
        let set = try file.read(expecting: exchange, replica: replica)
        #expect(ChangeSetCodec.encode(set) == bytes)
        #expect(ChangeSetName(file.url.lastPathComponent)?.hash == ContentHash(of: bytes).name)
        count += 1
      }
    }
    #expect(count == 3)
  }

  @Test func `a store that is made from format 1 knows every fact`() async throws {
    let root = try TemporaryFolder()
    try FileManager.default.copyItem(at: exchange.url, to: root.url.appending(path: exchange.url.lastPathComponent))
    let schema = try #require(try exchange.newestSchema())
    let temporary = try TemporaryStore(schema: schema)
    var options = SyncOptions()
    options.storeID = exchange.storeID
    let report = try await SyncEngine(store: temporary.store, folder: root.url, options: options).import()
    #expect(report.transactionsMerged == 4)
    #expect(report.refused.isEmpty)
    #expect(try CanonicalDump.lines(of: temporary.store) == expectedDump)
    try temporary.check()
  }

  /// Format 2 holds once transactions; readers of format 1 refuse it and take everything else.
  @Test func `a change set of format 2 reads, and is written again with the same bytes`() throws {
    let file = GoldenTests.folder.deletingLastPathComponent().appending(path: "change-set-2/once.tcs")
    let bytes = [UInt8](try Data(contentsOf: file))
    let set = try ChangeSetCodec.decode(bytes)
    #expect(ChangeSetCodec.encode(set) == bytes)
    #expect(try ChangeSetHeader(bytes[...], subject: "the golden file").leastReader == 2)
    let author = try SchemaDescription.decode(set.schemaDescription, subject: "the golden file")
    let types = FieldTypes(author, subject: "the golden file")
    let facts = try ImportBatch.read(set, author: author, after: 0, subject: "the golden file").map {
      try TransactionCodec.decode($0.bytes, fieldType: types.type)
    }
    #expect(try facts == GoldenTests.onceTransactions)
  }

  /// Format 3 is packed; what it holds is what the earlier formats hold.
  @Test func `a change set of format 3 reads, and is written again with the same bytes`() throws {
    let folder = GoldenTests.folder.deletingLastPathComponent()
    let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "change-set-3/packed.tcs")))
    let set = try ChangeSetCodec.decode(bytes)
    #expect(ChangeSetCodec.encode(set) == bytes)
    let header = try ChangeSetHeader(bytes[...], subject: "the golden file")
    #expect(header.leastReader == 3 && header.storedBytes < header.payloadBytes)
    var once = try ChangeSetCodec.decode([UInt8](Data(contentsOf: folder.appending(path: "change-set-2/once.tcs"))))
    once.isPacked = true
    #expect(set == once)
  }

  static var onceTransactions: [TransactionFacts] {
    get throws {
      let replica = ReplicaID(7)
      let (first, second) = (stamp(1 << 20, 7), stamp(2 << 20, 7))
      let key = try OnceKey("purchase 42")
      let house = key.recordID(entity: "House", ordinal: 0)
      func insert(_ entity: EntityNumber, _ name: String, _ values: [FieldValue]) -> RecordFacts {
        RecordFacts(
          entity: entity, id: key.recordID(entity: name, ordinal: 0), isInserted: true,
          onceInserts: [.init(keyHash: key.hash, stamp: second)],
          registers: values.enumerated().map { .init(ordinal: $0, value: $1, stamp: second, isOnce: true) })
      }
      return [
        TransactionFacts(
          dot: Dot(replica: replica, sequence: 5), stamp: first, author: "phone", context: VersionVector(),
          records: [
            RecordFacts(
              entity: 1, id: id(9), isInserted: true, touch: first,
              registers: [.init(ordinal: 0, value: .string("Rynok"), stamp: first)])
          ]),
        TransactionFacts(
          dot: Dot(replica: replica, sequence: 6), stamp: second, author: nil, context: VersionVector(), once: key,
          records: [
            insert(1, "House", [.string("Lesna")]),
            insert(0, "Person", [.string("Ola"), .null, .reference(house)]),
            RecordFacts(entity: 1, id: id(9), deleted: second),
          ]),
      ]
    }
  }

  @Test func `heads and markers of format 1 read`() throws {
    #expect(try exchange.isPresent())
    for replica in replicas {
      let head = try #require(try exchange.newestHead(of: replica)?.head)
      #expect(head.lastSequence == (replica == replicas[0] ? 3 : 1))
      #expect(head.applied.entries.keys.sorted() == replicas)
      #expect(head.encoded() == (try newestHeadBytes(of: replica)))
    }
  }

  private func newestHeadBytes(of replica: ReplicaID) throws -> [UInt8] {
    let name = try #require(try DurableFile.names(in: exchange.heads(of: replica)).last)
    return try DurableFile.read(exchange.heads(of: replica).appending(path: name), limit: 1 << 20)
  }
}
