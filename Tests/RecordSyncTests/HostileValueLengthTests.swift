import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Files with right checksums that name large values of lengths that no value has. Two of them ended the process, at
/// each synchronisation, where lengths are added up.
struct HostileValueLengthTests {
  private typealias Album = LargeValueTests.Album

  private static let stranger = ReplicaID(0x5757)
  static let impossible: [UInt64] = [0, ExternalReference.maximumValueByteCount + 1, 1 << 62, UInt64(Int.max), .max]

  /// The payload that names a value.
  private func reference(_ seed: UInt8, length: UInt64) -> Data {
    var bytes = ExternalReference.mark + [UInt8](repeating: seed, count: 32)
    withUnsafeBytes(of: length.littleEndian) { bytes += Array($0) }
    return Data(bytes)
  }

  private func photos(_ lengths: [UInt64], _ album: Album, _ stamp: Stamp) throws -> [RecordFacts] {
    let store = album.replicas[0].store
    let photo = try #require(try store.read { $0.catalogue }.entity(named: "Photo"))
    let (name, image) = (
      album.replicas[0].names.ordinal("Photo", "name"), album.replicas[0].names.ordinal("Photo", "image")
    )
    return lengths.enumerated().map { index, length in
      RecordFacts(
        entity: photo.number, id: fixtureID(UInt64(70 + index)), isInserted: true, touch: stamp,
        registers: [
          .init(ordinal: name, value: .string("theirs"), stamp: stamp),
          .init(ordinal: image, value: .data(reference(UInt8(index + 1), length: length)), stamp: stamp),
        ].sorted { $0.ordinal < $1.ordinal })
    }
  }

  private func schema(of album: Album) throws -> [UInt8] {
    try SchemaDescription.encode(try album.replicas[0].store.read { $0.catalogue })
  }

  private func plant(_ lengths: [UInt64], in album: Album) throws {
    let stamp = stamp(1 << 20, Self.stranger.value)
    let transaction = TransactionFacts(
      dot: Dot(replica: Self.stranger, sequence: 1), stamp: stamp, author: nil, context: VersionVector(),
      records: try photos(lengths, album, stamp))
    let set = ChangeSet(
      storeID: TestReplica.family, replica: Self.stranger, firstSequence: 1, previousHash: ContentHash.none.bytes,
      schemaDescription: try schema(of: album), transactions: [TransactionCodec.encode(transaction)],
      holdsReferences: true)
    let bytes = ChangeSetCodec.encode(set)
    try album.exchange.publish(
      bytes, ChangeSetName(from: 1, to: 1, hash: ContentHash(of: bytes)), of: Self.stranger)
  }

  /// Synchronises, saves and synchronises again, with and without a bound.
  private func goOn(_ album: Album) async throws -> SyncReport {
    let report = try await album.sync(0)[0]
    try album.insert(1, Data(repeating: 1, count: 200_000), on: 0)
    _ = try await album.engine(0) { $0.maximumBytes = 1 << 20 }.sync()
    for _ in 0..<2 { try await album.sync(0, 1) }
    #expect(try album.replicas[0].dump == album.replicas[1].dump)
    #expect(try album.replicas[1].store.value("Photo", fixtureID(1), "name") == .string("1"))
    for replica in album.replicas { try expectSound(replica.store) }
    return report
  }

  @Test(arguments: impossible, [false, true])
  func `a change set that names a value of an impossible length is refused`(length: UInt64, isSealed: Bool)
    async throws
  {
    let album = try Album(isSealed: isSealed)
    try await album.sync(0)
    try plant([length, length], in: album)
    let report = try await goOn(album)
    #expect(report.refused.count == 1, "\(report)")
    #expect(try !album.replicas[0].store.isVisible("Photo", fixtureID(70)))
  }

  @Test(arguments: [false, true])
  func `values of the greatest length are awaited, and added up`(isSealed: Bool) async throws {
    let album = try Album(isSealed: isSealed)
    try await album.sync(0)
    try plant(Array(repeating: ExternalReference.maximumValueByteCount, count: 3), in: album)
    let report = try await goOn(album)
    #expect(
      report.awaited.contains { $0.contains("\(3 * ExternalReference.maximumValueByteCount) bytes") }, "\(report)")
    #expect(report.refused.isEmpty)
    // A piece of one lies there.
    let value = try #require(
      ExternalReference(digest: [UInt8](repeating: 1, count: 32), byteCount: ExternalReference.maximumValueByteCount))
    let piece = try #require(ValueSlice.pieces(of: value).first)
    try album.exchange.publish(Data(count: ValueSlice.pieceBytes), piece, of: Self.stranger)
    #expect(try await album.sync(0)[0].refused.isEmpty)
    #expect(album.replicas[0].store.externalFolder?.arrivedByteCount(of: value) == ValueSlice.pieceBytes)
    #expect(try !ValueNames(in: album.exchange).has(named: value.name))
    let copy = ExchangeFolder(root: album.root.url.appending(path: "copy"), storeID: TestReplica.family)
    #expect(try ExchangeCopy(source: album.exchange, target: copy).run().refused.isEmpty)
  }

  @Test(arguments: impossible)
  func `a snapshot that names a value of an impossible length is refused`(length: UInt64) async throws {
    let album = try Album()
    try await album.sync(0)
    let stamp = stamp(1 << 20, Self.stranger.value)
    var content = SnapshotContent()
    content.records = try photos([length, length], album, stamp)
    let payload = content.encoded()
    let manifest = SnapshotManifest(
      storeID: TestReplica.family, replica: Self.stranger, clock: stamp,
      vector: VersionVector(entries: [Self.stranger: .init(sequence: 5, stamp: stamp)]),
      schemaDescription: try schema(of: album),
      chunks: [SnapshotManifest.Chunk(byteCount: payload.count, hash: ContentHash(of: payload))],
      holdsReferences: true)
    try album.exchange.publish(
      payload, as: manifest, named: SnapshotName(vector: manifest.vector, manifest: manifest.encoded()))
    var head = ReplicaHead(
      storeID: TestReplica.family, replica: Self.stranger, lastSequence: 5, clock: stamp, applied: VersionVector(),
      displayName: "stranger")
    head.schemaID = Array(1...16)
    head.oldestSequence = 4
    try album.exchange.publish(head)
    _ = try await goOn(album)
    #expect(try !album.replicas[0].store.isVisible("Photo", fixtureID(70)))
  }
}
