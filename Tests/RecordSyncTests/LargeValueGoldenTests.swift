import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// A folder of the first build that let large values travel by themselves: change set format 4, snapshot format 3. It
/// must read for ever.
struct LargeValueGoldenTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/golden/large-values-1").standardizedFileURL
  private let exchange = ExchangeFolder(root: folder, storeID: TestReplica.family)
  private let author = ReplicaID(4)

  /// The value that the folder's author saved.
  static let image = Data((0..<131_072).map { UInt8(truncatingIfNeeded: $0 >> 8) })

  private func fresh() throws -> (TemporaryFolder, TemporaryStore, SyncEngine) {
    let root = try TemporaryFolder()
    try FileManager.default.copyItem(at: exchange.url, to: root.url.appending(path: exchange.url.lastPathComponent))
    let temporary = try TemporaryStore(schema: LargeValueTests.Album.schema)
    var options = SyncOptions()
    options.storeID = exchange.storeID
    return (root, temporary, SyncEngine(store: temporary.store, folder: root.url, options: options))
  }

  private func expectImage(in temporary: TemporaryStore) throws {
    #expect(try temporary.store.value("Photo", fixtureID(1), "image") == .data(Self.image))
    try temporary.check()
  }

  @Test func `a change set of format 4 reads, and is written again with the same bytes`() async throws {
    let file = try #require(try exchange.listing(of: author).files.first)
    let bytes = try DurableFile.read(file.url, limit: 1 << 20)
    let set = try file.read(expecting: exchange, replica: author)
    #expect(ChangeSetCodec.encode(set) == bytes)
    #expect(try ChangeSetHeader(bytes[...], subject: "the golden file").leastReader == 4)
    let (root, temporary, engine) = try fresh()
    let report = try await engine.import()
    #expect(report.transactionsMerged == 1 && report.valuesReceived == 1 && report.isComplete, "\(report)")
    try expectImage(in: temporary)
    withExtendedLifetime(root) {}
  }

  @Test func `a snapshot of format 3 reads, and its manifest is written again with the same bytes`() async throws {
    let snapshot = try #require(try exchange.intactSnapshots(of: author).first)
    let bytes = try #require(try exchange.manifestBytes(of: snapshot.name, author))
    #expect(snapshot.manifest.encoded() == bytes && snapshot.manifest.holdsReferences)
    let (root, temporary, engine) = try fresh()
    let copy = ExchangeFolder(root: root.url, storeID: exchange.storeID)
    for file in try copy.listing(of: author).files { try FileManager.default.removeItem(at: file.url) }
    let report = try await engine.import()
    #expect(report.snapshotsJoined == 1 && report.valuesReceived == 1 && report.isComplete, "\(report)")
    try expectImage(in: temporary)
  }
}
