import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Devices that keep values beside their stores from different sizes on.
struct LargeValueBytesTests {
  private typealias Album = LargeValueTests.Album

  private static func bytes(_ seed: UInt8) -> Data { Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0) ^ seed }) }

  @Test(arguments: [false, true])
  func `a value of any size merges both ways, and both devices end equal`(isSealed: Bool) async throws {
    let album = try Album(isSealed: isSealed, largeValueBytes: [64, 131_072])
    try album.insert(1, Self.bytes(1), on: 0)
    try album.insert(2, Self.bytes(2), on: 1)
    try await album.sync(0, 1, 0)
    for index in 0...1 {
      #expect(try album.has(Self.bytes(1), index))
      #expect(try !album.has(Self.bytes(2), index))
      #expect(try album.image(1, on: index) == .data(Self.bytes(1)))
      #expect(try album.image(2, on: index) == .data(Self.bytes(2)))
    }
    try album.expectEqual()
    // Each changes what the other has saved.
    try album.update(2, Self.bytes(3), on: 0)
    try album.update(1, Self.bytes(4), on: 1)
    try await album.sync(0, 1, 0)
    for index in 0...1 {
      #expect(try album.has(Self.bytes(3), index) && !album.has(Self.bytes(4), index))
      #expect(try album.image(1, on: index) == .data(Self.bytes(4)))
      #expect(try album.image(2, on: index) == .data(Self.bytes(3)))
    }
    try album.expectEqual()
  }

  @Test func `a value that another device saved too is no lost edit, wherever either lies`() async throws {
    let album = try Album(largeValueBytes: [64, 131_072])
    try album.insert(1, nil, on: 0)
    try await album.sync(0, 1)
    for index in 0...1 { try album.update(1, Self.bytes(5), on: index) }
    try await album.sync(0, 1, 0)
    for replica in album.replicas { #expect(try ConflictLog(store: replica.store).entries().isEmpty) }
    try album.expectEqual()
  }

  @Test func `a snapshot of a device that keeps small values apart is joined by one that does not`() async throws {
    let album = try Album(count: 3, largeValueBytes: [64, 131_072, 131_072])
    try album.insert(1, Self.bytes(6), on: 0)
    try album.insert(2, Self.bytes(7), on: 1)
    try await album.sync(0, 1, 0)
    _ = try await album.engine(0).writeSnapshot()
    for replica in try album.replicas.prefix(2).map({ try $0.id }) {
      for file in try album.exchange.listing(of: replica).files { try FileManager.default.removeItem(at: file.url) }
    }
    let report = try await album.engine(2).sync()
    #expect(report.snapshotsJoined == 1)
    #expect(try album.has(Self.bytes(6), 2) && !album.has(Self.bytes(7), 2))
    try album.expectEqual()
  }
}
