import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// Runs over a transport that are cut off.
extension TransportTests {
  @Test(arguments: [false, true])
  func `what a cancelled run has fetched is not fetched again`(hasKey: Bool) async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    if hasKey { try hand(FamilyKey(), to: phone, laptop) }
    for number in 1...6 as ClosedRange<UInt64> {
      try phone.insertTag(number)
      try await settle(phone)
    }
    let all = try await shelf.files
    shelf.trouble.withLock { $0.cancelled = ["get": all.count - 2] }
    _ = shelf.paths
    await #expect(throws: CancellationError.self) {
      try await sync().synchronize(laptop.directory, transport: shelf)
    }
    let first = shelf.paths
    #expect(first.count == all.count && first.suffix(2).allSatisfy { $0.hasSuffix(".tcs") })
    // Of its random name an encrypted store's folder may come before the marker in the alphabet.
    #expect(first.first?.hasSuffix("/STORE") == true, "the marker is fetched first")
    let left = laptop.directory.url.appending(path: ".transport")
    #expect(try FileManager.default.contentsOfDirectory(atPath: left.path) == [".in"])
    shelf.trouble.withLock { $0.cancelled = [:] }
    try await settle(laptop)
    let sets = shelf.paths.filter { $0.hasSuffix(".tcs") }
    #expect(sets.sorted() == first.suffix(2).sorted())
    #expect(!FileManager.default.fileExists(atPath: left.path))
    try expectEqual(phone, laptop, tags: 6)
  }

  /// As a process leaves them that was killed, or a power cut.
  @Test func `of what lies there from another run only whole files are taken`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    for number in 1...5 as ClosedRange<UInt64> {
      try phone.insertTag(number)
      try await settle(phone)
    }
    let left = laptop.directory.url.appending(path: ".transport/.in")
    try FileManager.default.createDirectory(
      at: left.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: shelf.folder, to: left)
    let sets = try await shelf.files.filter { $0.hasSuffix(".tcs") }
    try #require(sets.count == 5)
    let (zeros, short, gone) = (
      left.appending(path: sets[0]), left.appending(path: sets[1]), left.appending(path: sets[2])
    )
    try Data(count: Data(contentsOf: zeros).count).write(to: zeros)
    try Data(contentsOf: short).dropLast().write(to: short)
    try FileManager.default.removeItem(at: gone)
    _ = shelf.paths
    try await settle(laptop)
    #expect(shelf.paths.filter { $0.hasSuffix(".tcs") }.sorted() == sets.prefix(3).sorted())
    try expectEqual(phone, laptop, tags: 5)
    #expect(try await settle(laptop).map(\.isUnchanged) == [true])
  }

  @Test(arguments: [false, true], [false, true])
  func `a first run that fails in the middle leaves no files without their marker`(
    hasKey: Bool, isMarkerRefused: Bool
  ) async throws {
    let phone = try Device()
    try phone.insertTag(1)
    if hasKey { try hand(FamilyKey(), to: phone) }
    shelf.trouble.withLock { $0.refused = { $0.hasSuffix("/STORE") == isMarkerRefused } }
    let report = try await sync().synchronize(phone.directory, transport: shelf)
    #expect(!report.isComplete)
    #expect(try await shelf.files.count == (isMarkerRefused ? 0 : 1))
    shelf.trouble.withLock { $0.refused = { _ in false } }
    try await settle(phone)
  }
}
