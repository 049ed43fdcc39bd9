import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

// A key that is replaced, by synchronisations and by exports alone.
extension SealedFolderTests {
  /// Two devices that have met, and the key that was replaced since.
  private func rotated() async throws -> (family: Family, old: FamilyKey) {
    let family = try Family()
    try family.insert(1, on: family.phone)
    try family.insert(2, on: family.laptop)
    for replica in [family.phone, family.laptop, family.phone] { _ = try await family.sync(replica) }
    let old = family.key
    family.key = old.rotated()
    return (family, old)
  }

  @Test func `a key that is replaced leaves no file of the old one, and the others go on with the new one`()
    async throws
  {
    let (family, old) = try await rotated()
    // What the laptop wrote with the old key in the meantime reaches nobody until it has the new one.
    try family.insert(3, on: family.laptop)
    _ = try await family.engine(family.laptop, old).sync()
    _ = try await family.sync(family.phone)
    #expect(try !family.files().contains { $0.contains(old.id) })
    let dump = try family.laptop.dump
    let error = await #expect(throws: SyncError.self) { try await family.engine(family.laptop, old).sync() }
    #expect(error?.code == .keyNeeded)
    #expect(try family.laptop.dump == dump)
    for replica in [family.laptop, family.phone, family.laptop] {
      #expect(try await family.sync(replica).isComplete)
    }
    #expect(try family.phone.dump == family.laptop.dump)
    #expect(try family.phone.dump.count == 3)
    // A third device that begins gets all of it.
    let fresh = try TestReplica()
    #expect(try await family.sync(fresh).isComplete)
    #expect(try fresh.dump == family.phone.dump)
  }

  /// Only `sync()` wrote anew what a replaced key hides, so the lost device could read on where an app exports and
  /// imports by itself.
  @Test func `an export leaves no file of a key that was replaced, and the folder holds all that is known`()
    async throws
  {
    let (family, old) = try await rotated()
    let report = try await family.engine(family.phone, family.key).export()
    #expect(report.isComplete && report.snapshotsWritten == 1, "\(report)")
    #expect(try !family.files().contains { $0.contains(old.id) })
    let fresh = try TestReplica()
    #expect(try await family.engine(fresh, family.key).import().isComplete)
    #expect(try fresh.dump == family.phone.dump)
    #expect(try fresh.dump.count == 2)
    #expect(try await family.engine(family.phone, family.key).export().isUnchanged)
  }

  @Test func `an export with a bound writes a folder anew once it has nothing else to move`() async throws {
    let family = try Family()
    for number in 1...3 {
      try family.insert(UInt64(number), on: family.phone)
      _ = try await family.sync(family.phone)
    }
    let old = family.key
    family.key = old.rotated()
    func export() async throws -> SyncReport {
      var options = SyncOptions()
      (options.storeID, options.key, options.maximumBytes) = (TestReplica.family, family.key, 1)
      return try await SyncEngine(store: family.phone.store, folder: family.root.url, options: options).export()
    }
    for _ in 1...3 {
      #expect(try await export().filesExported == 1)
      #expect(try family.files().contains { $0.contains(old.id) })
    }
    #expect(try await export().isComplete)
    #expect(try !family.files().contains { $0.contains(old.id) })
  }

  @Test func `large values written before and after a rotation reach all devices`() async throws {
    let album = try LargeValueTests.Album(isSealed: true)
    let images = (1...4).map { SeededGenerator.bytes(150_000, 0xA0_0000 + UInt64($0)) }
    let old = try #require(album.key)
    let new = old.rotated()
    func sync(_ index: Int) async throws -> SyncReport { try await album.engine(index) { $0.key = new }.sync() }
    try album.insert(1, images[0], on: 0)
    try await album.sync(0, 1, 0)
    // One that nobody else has, with the key that is replaced meanwhile, and one that did not go out with it.
    try album.insert(2, images[1], on: 1)
    try await album.sync(1)
    try album.insert(3, images[2], on: 1)
    try album.insert(4, images[3], on: 0)
    for index in [0, 1, 0, 1] { _ = try await sync(index) }
    for (number, image) in images.enumerated() {
      for index in 0...1 {
        #expect(try album.image(UInt64(number + 1), on: index) == .data(image))
        #expect(try album.has(image, index), "value \(number + 1) on device \(index)")
      }
    }
    try album.expectEqual()
    #expect(try await sync(0).isUnchanged)
  }

  @Test func `a rotation that is cut at any point goes on with the next run`() async throws {
    var point = 0
    while true {
      let (family, old) = try await rotated()
      let isStopped = try await isStopped(at: point) { _ = try await family.sync(family.phone) }
      _ = try await family.sync(family.phone)
      #expect(try !family.files().contains { $0.contains(old.id) }, "point \(point)")
      let fresh = try TestReplica()
      _ = try await family.sync(fresh)
      #expect(try fresh.dump == family.phone.dump, "point \(point)")
      guard isStopped else { break }
      point += 1
    }
    #expect(point > 10)
  }
}
