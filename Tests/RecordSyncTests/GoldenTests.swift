import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Files of change-set format 1, as the first version wrote them. They must read for ever.
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
