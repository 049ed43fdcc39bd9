import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Records whose large values have not come: what others do to them is merged all the same.
struct AwaitedValueTests {
  private typealias Album = LargeValueTests.Album

  /// Of a length that no other suite uses, for a process reads a value from any store that it has open.
  private static func bytes(_ seed: UInt64) -> Data { SeededGenerator.bytes(142_000, seed) }

  /// A process reads a value from any store that it has open, and in the suites before this one the author's store was
  /// open: a device merged no delete of a record that it had without its value, and stopped for good.
  private func takeAwayValues(of album: Album) throws {
    for file in try album.valueFiles() { try FileManager.default.removeItem(at: file) }
    let folder = album.replicas[0].store.url.appending(path: "blobs")
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    try FileManager.default.removeItem(at: folder)
  }

  /// The second replica has two records without their values; `change` is saved on the first, and comes then.
  private func merge(seed: UInt64, _ change: (Album) throws -> Void) async throws -> Album {
    let album = try Album()
    try album.insert(1, Self.bytes(seed), on: 0)
    try album.insert(2, Self.bytes(seed + 1), on: 0)
    try await album.sync(0)
    for file in try album.valueFiles() { try FileManager.default.removeItem(at: file) }
    _ = try await album.engine(1) { $0.largeValues = .onDemand }.sync()
    try change(album)
    try await album.sync(0)
    try takeAwayValues(of: album)
    let report = try await album.engine(1) { $0.largeValues = .onDemand }.sync()
    #expect(report.transactionsMerged == 1 && report.waiting.isEmpty && report.refused.isEmpty, "\(report)")
    try album.replicas[1].temporary.check()
    return album
  }

  @Test func `a delete of a record is merged although its value has not come`() async throws {
    let album = try await merge(seed: 1_000) { album in
      let replica = album.replicas[0]
      try replica.save(replica.names.delete("Photo", fixtureID(1)))
    }
    let store = album.replicas[1].store
    try store.read { snapshot in
      let entity = try #require(snapshot.catalogue.entity(named: "Photo")).number
      let isGone = try snapshot.row(fixtureID(1), of: entity) == nil
      let isThere = try snapshot.row(fixtureID(2), of: entity) != nil
      #expect(isGone && isThere)
    }
  }

  @Test func `an edit of a record is merged although its value has not come, and beaten ones are restored`()
    async throws
  {
    let other = Self.bytes(1_010)
    let album = try await merge(seed: 1_002) { album in
      try album.update(1, nil, on: 1)
      album.replicas[0].clock.advance(byMilliseconds: 50)
      try album.update(1, other, on: 0)
    }
    let log = ConflictLog(store: album.replicas[1].store)
    let entry = try #require(try log.entries().first)
    #expect(entry.fields.map(\.lost) == [.null])
    _ = try log.restore(entry.id)
    #expect(try album.image(1, on: 1) == .null)
    try album.replicas[1].temporary.check()
  }
}
