import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// Large values whose way into a store was cut off: the next run goes on behind what has come.
struct PartialValueTests {
  private typealias Album = LargeValueTests.Album

  private static let pieceBytes = 1 << 20

  private static func bytes(_ seed: UInt8) -> Data {
    Data((0..<(3 * pieceBytes + 1_000)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) ^ seed })
  }

  /// Where the second replica keeps what has come.
  private func part(of image: Data, in album: Album) throws -> URL {
    let name = try #require(ExternalReference(of: image)).name
    return album.replicas[1].store.url.appending(path: "blobs/placing/\(name).part")
  }

  private func byteCount(of file: URL) -> Int { (try? Data(contentsOf: file))?.count ?? 0 }

  /// Synchronises the second replica, and gives how many bytes of the value were there after each piece.
  private func progress(of album: Album) async throws -> [Int] {
    let counts = Mutex<[Int]>([])
    let report = try await album.engine(1) {
      $0.progress = { event in
        if case .copied(_, let count, _) = event { counts.withLock { $0.append(count) } }
      }
    }.sync()
    #expect(report.valuesReceived == 1 && report.isComplete, "\(report)")
    return counts.withLock { $0 }
  }

  private func expectGoesOn(_ image: Data, in album: Album) async throws {
    let part = try part(of: image, in: album)
    let there = byteCount(of: part)
    #expect(there > 0 && there < image.count)
    #expect(try !album.has(image, 1), "a part is no value")
    let counts = try await progress(of: album)
    #expect(!counts.isEmpty && counts.allSatisfy { $0 > there }, "\(counts) after \(there)")
    #expect(counts.last == image.count)
    #expect(try album.image(1, on: 1) == .data(image) && album.has(image, 1))
    #expect(!FileManager.default.fileExists(atPath: part.path))
    try album.expectEqual()
  }

  @Test(arguments: [false, true])
  func `a value that a dead process left in part goes on where it stopped`(isSealed: Bool) async throws {
    let album = try Album(isSealed: isSealed)
    let image = Self.bytes(isSealed ? 1 : 2)
    try album.insert(1, image, on: 0)
    try await album.sync(0)
    // The records first, so that each run passes the same points.
    _ = try await album.engine(1) { $0.largeValues = .onDemand }.sync()
    let part = try part(of: image, in: album)
    var point = 0
    while byteCount(of: part) == 0 {
      let isStopped = try await isStopped(at: point) { try await album.sync(1) }
      try #require(isStopped, "no point leaves a part")
      point += 1
    }
    try await expectGoesOn(image, in: album)
  }

  @Test func `a value of a run that was cancelled goes on where it stopped`() async throws {
    let album = try Album()
    let image = Self.bytes(3)
    try album.insert(1, image, on: 0)
    try await album.sync(0)
    let running = Mutex<SyncEngine?>(nil)
    let engine = album.engine(1) {
      $0.progress = { event in
        if case .copied = event { running.withLock { $0 }?.cancel() }
      }
    }
    running.withLock { $0 = engine }
    await #expect(throws: CancellationError.self) { try await engine.sync() }
    running.withLock { $0 = nil }
    try await expectGoesOn(image, in: album)
  }

  @Test(arguments: [false, true])
  func `a wrong part is noticed, and the value comes from its beginning`(isSealed: Bool) async throws {
    let album = try Album(isSealed: isSealed)
    let image = Self.bytes(isSealed ? 4 : 5)
    try album.insert(1, image, on: 0)
    try await album.sync(0)
    let part = try part(of: image, in: album)
    try FileManager.default.createDirectory(at: part.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(repeating: 7, count: 2 * Self.pieceBytes).write(to: part)
    let counts = try await progress(of: album)
    #expect(counts.contains { $0 <= 2 * Self.pieceBytes }, "\(counts)")
    #expect(try album.image(1, on: 1) == .data(image) && album.has(image, 1))
    #expect(!FileManager.default.fileExists(atPath: part.path))
    try album.expectEqual()
  }
}
