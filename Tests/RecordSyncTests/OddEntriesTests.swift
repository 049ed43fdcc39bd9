import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// What else may lie in an exchange folder under the name of a file: one such entry stopped the whole store, or all
/// replicas with greater ids. It is named once; everybody else proceeds.
struct OddEntriesTests {
  enum Entry: CaseIterable {
    case folder, pipe, linkToNothing, linkInACircle, unreadable

    func make(at url: URL) throws {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      switch self {
      case .folder: try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      case .pipe: #expect(mkfifo(url.path, 0o644) == 0)
      case .linkToNothing: #expect(symlink("/nowhere/at/all", url.path) == 0)
      case .linkInACircle: #expect(symlink(url.lastPathComponent, url.path) == 0)
      // A regular file of which nobody, not even root, can read the first byte.
      case .unreadable: #expect(symlink("/proc/self/mem", url.path) == 0)
      }
    }
  }

  enum Place: CaseIterable {
    case changeSet, conflictCopy, head, manifest

    func url(of replica: ReplicaID, in folder: ExchangeFolder) -> URL {
      let hash = String(repeating: "ab", count: 16)
      return switch self {
      case .changeSet: folder.stream(of: replica).appending(path: ChangeSetName(from: 1, to: 2, hash: .none).text)
      case .conflictCopy: folder.stream(of: replica).appending(path: "1-2.sync-conflict-20260101-101010-ABCDEFG.tcs")
      case .head: folder.heads(of: replica).appending(path: HeadName(counter: 7, content: []).text)
      case .manifest: folder.snapshots(of: replica).appending(path: "\(hash)-\(hash)/manifest.tsm")
      }
    }
  }

  /// Less than any id that a store gets.
  private static let stranger = ReplicaID(1)

  private func expectArrival(_ phone: TestReplica, _ laptop: TestReplica, naming odd: URL) async throws {
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    _ = try await phone.engine().sync()
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    for round in 0..<2 {
      let report = try await laptop.engine().sync()
      #expect(report.refused.filter { $0.reason.contains(odd.lastPathComponent) }.count == 1, "\(report)")
      try laptop.save(laptop.names.insert("Tag", fixtureID(UInt64(100 + round)), ["name": .string("mine")]))
    }
    #expect(try laptop.store.isVisible("Tag", fixtureID(1)))
    try expectSound(laptop.store)
  }

  @Test(arguments: Entry.allCases, Place.allCases)
  func `an entry that is no file is named, and everybody else proceeds`(entry: Entry, place: Place) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await laptop.engine().sync()
    let odd = place.url(of: Self.stranger, in: laptop.exchange)
    try entry.make(at: odd)
    try await expectArrival(phone, laptop, naming: odd)
  }

  @Test(arguments: ["s", "h", "n"], [Entry.pipe, .linkInACircle, .unreadable])
  func `an entry in the place of a replica's folder is named, and everybody else proceeds`(
    name: String, entry: Entry
  ) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await laptop.engine().sync()
    let odd = laptop.exchange.folder(of: Self.stranger).appending(path: name)
    try entry.make(at: odd)
    try await expectArrival(phone, laptop, naming: odd)
  }

  @Test(arguments: Entry.allCases, Place.allCases)
  func `a copy between folders passes an entry that is no file by`(entry: Entry, place: Place) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    _ = try await phone.engine().sync()
    try entry.make(at: place.url(of: Self.stranger, in: phone.exchange))
    // And one in the target, under the name of what is copied.
    let file = try #require(try phone.streamFiles.first)
    if entry != .folder {
      try entry.make(at: laptop.exchange.stream(of: phone.id).appending(path: file.lastPathComponent))
    }
    for _ in 0..<2 {
      let outcome = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
      #expect(outcome.refused.count <= 1, "\(outcome.refused)")
    }
    _ = try await laptop.engine().sync()
    #expect(try laptop.store.isVisible("Tag", fixtureID(1)))
  }

  /// A device's own copy never has the entry, so only the copying can name it.
  @Test(arguments: Entry.allCases, Place.allCases)
  func `devices name an entry that is no file in a shared folder`(entry: Entry, place: Place) async throws {
    let (phone, root) = (try DeviceSyncTests.Device(), try TemporaryFolder())
    try phone.insertTag(1)
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    let (sync, folder) = (DeviceSync(options: options), try DeviceDirectory(root.url))
    _ = try await sync.synchronize(phone.directory, folder: folder)
    let shared = ExchangeFolder(
      root: folder.exchange(at: DeviceSyncTests.place), storeID: DeviceSyncTests.place.familyID)
    let odd = place.url(of: Self.stranger, in: shared)
    try entry.make(at: odd)
    for number in 2...3 as ClosedRange<UInt64> {
      try phone.insertTag(number)
      let report = try await sync.synchronize(phone.directory, folder: folder)
      #expect(!report.isComplete)
      let named = report.stores.flatMap(\.refused).filter { $0.reason.contains(odd.lastPathComponent) }
      #expect(named.count == 1, "\(report)")
      #expect(try shared.listing(of: phone.opened().read { try $0.replica }).files.count == Int(number))
    }
  }

  @Test func `a head that cannot be read keeps none from being passed on`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    for number in 1...2 as ClosedRange<UInt64> {
      try phone.save(phone.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
      _ = try await phone.engine().sync()
    }
    let known = try #require(try phone.exchange.newestHead(of: phone.id))
    let older = HeadName(counter: known.name.counter - 1, content: [9])
    let place = phone.exchange.heads(of: try phone.id)
    for name in try DurableFile.names(in: place) where name != known.name.text {
      try DurableFile.remove(place.appending(path: name))
    }
    try Entry.pipe.make(at: place.appending(path: older.text))
    let outcome = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    #expect(outcome.refused.count == 1)
    #expect(try laptop.exchange.newestHead(of: phone.id)?.head == known.head)
  }

  @Test(arguments: Entry.allCases) func `an entry in the place of an own file does not keep others' from coming`(
    entry: Entry
  ) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try laptop.save(laptop.names.insert("Tag", fixtureID(2), ["name": .string("mine")]))
    _ = try await laptop.engine().sync()
    let own = try #require(try laptop.streamFiles.first)
    try FileManager.default.removeItem(at: own)
    try entry.make(at: own)
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    _ = try await phone.engine().sync()
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    do {
      let report = try await laptop.engine().sync()
      #expect(entry == .folder || report.filesExported == 1)
    } catch let error as SyncError {
      // Nobody removes a folder that somebody else has made.
      #expect(entry == .folder && error.message.contains(own.lastPathComponent), "\(error)")
    }
    #expect(try laptop.store.isVisible("Tag", fixtureID(1)))
  }

  /// It stopped the import of all others.
  @Test func `a transaction of a format to come is named, and everybody else proceeds`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await laptop.engine().sync()
    var facts = TransactionCodec.encode(
      TransactionFacts(
        dot: Dot(replica: Self.stranger, sequence: 1), stamp: stamp(1, 1), author: nil, context: VersionVector(),
        records: []))
    facts[0] = 9
    // The CRC-32C of all but itself stands behind the two bytes of format and flags.
    let checksum = CRC32C.checksum((facts[0..<2] + facts[6...])[...])
    for place in 0..<4 { facts[2 + place] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(place))) }
    let set = ChangeSet(
      storeID: TestReplica.family, replica: Self.stranger, firstSequence: 1, previousHash: ContentHash.none.bytes,
      schemaDescription: try SchemaDescription.encode(laptop.store.read { $0.catalogue }), transactions: [facts])
    let bytes = ChangeSetCodec.encode(set)
    let name = ChangeSetName(from: 1, to: 1, hash: ContentHash(of: bytes)).text
    let odd = laptop.exchange.stream(of: Self.stranger).appending(path: name)
    try DurableFile.publish(bytes, named: name, in: odd.deletingLastPathComponent())
    try await expectArrival(phone, laptop, naming: odd)
    let report = try await laptop.engine().sync()
    #expect(report.refused.first?.reason.contains("update the app") ?? false, "\(report.refused)")
  }

  @Test func `a snapshot with garbage for a schema keeps no store from being made`() async throws {
    let phone = try TestReplica()
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    _ = try await phone.engine().sync()
    let manifest = SnapshotManifest(
      storeID: TestReplica.family, replica: Self.stranger, clock: stamp(1, 1), vector: VersionVector(),
      schemaDescription: Array("no schema".utf8), chunks: [])
    try phone.exchange.publish(
      [], as: manifest, named: SnapshotName(vector: manifest.vector, manifest: manifest.encoded()))
    #expect(try phone.exchange.newestSchema() != nil)
  }
}
