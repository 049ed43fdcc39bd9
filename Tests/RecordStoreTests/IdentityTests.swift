import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Whether a store knows that it is a copy, or that a backup has taken its place, before it writes under an id that is
/// somebody else's.
@Suite struct IdentityTests {
  /// A folder with one store that has saved `count` tags.
  private final class Home {
    let folder: URL
    let url: URL
    init(count: UInt64 = 2) throws {
      folder = try makeTemporaryFolder()
      url = folder.appendingPathComponent("shop.store")
      try using(schema: .fixture) { _ in }
      for number in 0..<count { try save(number + 1) }
    }

    deinit { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }

    static func configuration(_ url: URL) -> StoreConfiguration {
      StoreConfiguration(url: url, createsIfMissing: true, durability: .unsafeNoFlush, mapSizeBytes: 64 << 20)
    }

    /// Opens a store for the closure, as a process does for its time: what it knew of the store is gone afterwards.
    func using<Result>(
      _ other: URL? = nil, schema: StoreSchema? = nil, _ body: (RecordStore) throws -> Result
    ) throws -> Result {
      var store: RecordStore? = try RecordStore.open(Home.configuration(other ?? url), schema: schema)
      weak let core = store?.core
      let result = try body(#require(store))
      store = nil
      // The writer thread may hold it for a moment longer.
      while core != nil { sched_yield() }
      return result
    }

    func replica(_ other: URL? = nil) throws -> ReplicaID { try using(other) { try $0.read { try $0.replica } } }

    func former(_ other: URL? = nil) throws -> [FormerReplica] {
      try using(other) { try $0.read { try $0.formerReplicas } }
    }

    func noteExport(through sequence: UInt64) throws { try using { try $0.noteExport(through: sequence) } }

    func save(_ number: UInt64, in other: URL? = nil) throws {
      try using(other) { store throws in
        let names = try FixtureNames(store)
        _ = try store.commit(
          SaveRequest(changes: [names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")])]))
        try expectSound(store)
      }
    }

    /// Writes older bytes into the same file, as tools do that overwrite in place.
    func setBack(to bytes: Data) throws { try bytes.overwrite(url.appendingPathComponent("data.mdb")) }

    var bytes: Data { get throws { try Data(contentsOf: url.appendingPathComponent("data.mdb")) } }
  }

  @Test func `a store keeps its id over any number of launches, and when its folder is moved or renamed`() throws {
    let home = try Home()
    let replica = try home.replica()
    try home.noteExport(through: 2)
    try home.save(3)
    #expect(try home.replica() == replica)
    let moved = home.folder.appendingPathComponent("elsewhere/other.store")
    try FileManager.default.createDirectory(
      at: moved.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: home.url, to: moved)
    try home.save(4, in: moved)
    #expect(try home.replica(moved) == replica)
    #expect(try home.former(moved) == [])
  }

  @Test func `a copy has an id of its own after its first write, and the original keeps its`() throws {
    let home = try Home()
    let replica = try home.replica()
    let copy = home.folder.appendingPathComponent("copy.store")
    try FileManager.default.copyItem(at: home.url, to: copy)
    #expect(try home.replica(copy) == replica)
    try home.save(3, in: copy)
    let own = try home.replica(copy)
    #expect(own != replica)
    #expect(try home.former(copy) == [FormerReplica(replica: replica, reason: .copied)])
    let vector = try home.using(copy) { try $0.read { try $0.versionVector } }
    #expect(vector.sequence(of: own) == 1)
    #expect(vector.sequence(of: replica) == 2)
    try home.save(4, in: copy)
    try home.save(4)
    #expect(try home.replica(copy) == own)
    #expect(try home.replica() == replica)
  }

  @Test func `the first write that fails leaves nothing, and the next one still looks`() throws {
    let home = try Home()
    let replica = try home.replica()
    let copy = home.folder.appendingPathComponent("copy.store")
    try FileManager.default.copyItem(at: home.url, to: copy)
    try home.using(copy) { store throws in
      struct Refused: Error {}
      #expect(throws: Refused.self) { try store.commit { _ -> (SaveRequest, Int) in throw Refused() } }
      #expect(try store.read { try $0.replica } == replica)
      #expect(try store.confirmIdentity() != replica)
      #expect(try store.confirmIdentity() == store.read { try $0.replica })
    }
  }

  @Test func `a backup written over the file is noticed when others may have what it lost`() throws {
    let home = try Home()
    let (replica, backup) = (try home.replica(), try home.bytes)
    try home.save(3)
    try home.noteExport(through: 3)
    try home.setBack(to: backup)
    try home.save(4)
    #expect(try home.replica() != replica)
    #expect(try home.former() == [FormerReplica(replica: replica, reason: .setBack)])
    let renewed = try home.replica()
    // The identity file still names the first id; that is no reason to take a third one.
    try home.save(5)
    #expect(try home.replica() == renewed)
    try home.noteExport(through: 2)
    try home.save(6)
    #expect(try home.replica() == renewed)
  }

  @Test func `a backup that lost nothing which others may have is the store itself`() throws {
    let home = try Home()
    let (replica, backup) = (try home.replica(), try home.bytes)
    try home.noteExport(through: 2)
    try home.save(3)
    try home.setBack(to: backup)
    try home.save(4)
    #expect(try home.replica() == replica)
  }

  @Test func `a store set back to before it took another id takes a new one`() throws {
    let home = try Home()
    let (replica, backup) = (try home.replica(), try home.bytes)
    let second = try home.using { try $0.renewReplica() }
    try home.save(3)
    try home.noteExport(through: 1)
    try home.setBack(to: backup)
    try home.save(4)
    #expect(try ![replica, second].contains(home.replica()))
  }

  @Test(arguments: [nil, Data(), Data("other".utf8), Data(repeating: 0, count: 70)])
  func `a missing or damaged identity file says nothing and is written again`(damage: Data?) throws {
    let home = try Home()
    let replica = try home.replica()
    let file = IdentityFile.url(ofStoreAt: home.url)
    try home.noteExport(through: 2)
    let whole = try Data(contentsOf: file)
    if let damage { try damage.write(to: file) } else { try FileManager.default.removeItem(at: file) }
    try home.save(3)
    #expect(try home.replica() == replica)
    try home.noteExport(through: 2)
    #expect(try Data(contentsOf: file) == whole)
  }

  @Test func `what is noted as exported never falls, and an unchanged note is not written again`() throws {
    let home = try Home()
    let file = IdentityFile.url(ofStoreAt: home.url)
    try home.noteExport(through: 2)
    let number = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? NSNumber
    try home.noteExport(through: 1)
    try home.noteExport(through: 2)
    #expect(try IdentityFile.read(beside: home.url)?.lastExported == 2)
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? NSNumber == number)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: home.folder.path).sorted() == [
        "shop.store", "shop.store.identity",
      ])
  }

  @Test func `one store has one identity file, by whichever link it is opened`() throws {
    let home = try Home()
    let links = home.folder.appendingPathComponent("links")
    try FileManager.default.createDirectory(at: links, withIntermediateDirectories: false)
    let link = links.appendingPathComponent("linked.store")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: home.url)
    try home.using(link) { try $0.noteExport(through: 2) }
    #expect(IdentityFile.url(ofStoreAt: link) == IdentityFile.url(ofStoreAt: home.url))
    #expect(try IdentityFile.read(beside: home.url)?.lastExported == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: links.path) == ["linked.store"])
  }

  @Test func `another store in the same place is not taken for the one that was there`() throws {
    let home = try Home()
    let other = try Home()
    let replica = try other.replica()
    try home.noteExport(through: 2)
    try FileManager.default.removeItem(at: home.url)
    try FileManager.default.moveItem(at: other.url, to: home.url)
    try home.save(3)
    #expect(try home.replica() == replica)
  }

  @Test func `an erased store takes one new id and keeps it`() throws {
    let home = try Home()
    try home.noteExport(through: 2)
    try home.using { try $0.erase() }
    let replica = try home.replica()
    try home.save(3)
    try home.save(4)
    #expect(try home.replica() == replica)
  }

  @Test func `a backup copy that the store itself makes is a replica of its own at once`() throws {
    let home = try Home()
    let copy = home.folder.appendingPathComponent("copy.store")
    try home.using { try $0.copy(to: copy) }
    let own = try home.replica(copy)
    #expect(try own != home.replica())
    try home.save(3, in: copy)
    #expect(try home.replica(copy) == own)
  }

  @Test func `a copy that is only read stays as it is`() throws {
    let home = try Home()
    let copy = home.folder.appendingPathComponent("copy.store")
    try FileManager.default.copyItem(at: home.url, to: copy)
    let before = try Data(contentsOf: copy.appendingPathComponent("data.mdb"))
    var configuration = Home.configuration(copy)
    configuration.isReadOnly = true
    #expect(try RecordStore.open(configuration).read { try $0.count(RecordQuery(entity: 0)) } >= 0)
    #expect(try Data(contentsOf: copy.appendingPathComponent("data.mdb")) == before)
  }

  @Test func `where nobody may write beside the store the export goes on without the note`() throws {
    guard getuid() != 0 else { return }
    let home = try Home()
    chmod(home.folder.path, 0o500)
    defer { chmod(home.folder.path, 0o700) }
    try home.noteExport(through: 2)
    #expect(try IdentityFile.read(beside: home.url) == nil)
  }

  @Test func `a path that leads into nothing is one sentence`() throws {
    let home = try Home()
    let file = IdentityFile.url(ofStoreAt: home.url)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    let error = #expect(throws: StoreError.self) { try home.noteExport(through: 2) }
    #expect(error?.message.contains("cannot write the store's identity at \(file.path)") == true)
    try home.save(3)
  }
}

/// The decision alone: every pair of what the store and the identity file say.
@Suite struct IdentityFindingTests {
  private let here = StorePlace(inode: 7, createdAtMilliseconds: 1_000)
  private let header = StoreHeader(
    storeID: fixtureID(1), replica: ReplicaID(1), incarnation: 11, createdAtMilliseconds: 0)

  private func finding(
    noted: NotedPlace?, incarnation: UInt64? = nil, exported: UInt64 = 0, filePlace: StorePlace? = nil,
    present: StorePlace? = nil, numbersLast: Bool = true
  ) -> IdentityFinding {
    var file: IdentityFile?
    if let incarnation {
      file = IdentityFile(header, lastExported: exported, place: filePlace ?? here)
      file?.incarnation = incarnation
    }
    return IdentityFinding(
      header, ownSequence: 5, noted: noted, present: present ?? here, file: file, numbersLast: numbersLast)
  }

  @Test func `each case of file and place`() {
    let noted = NotedPlace(place: here, replaced: 10)
    #expect(finding(noted: nil) == .unmarked)
    #expect(finding(noted: noted) == .original)
    #expect(finding(noted: noted, incarnation: 11, exported: 5) == .original)
    #expect(finding(noted: noted, incarnation: 11, exported: 6) == .setBack)
    #expect(finding(noted: noted, incarnation: 10, exported: 99) == .original)
    #expect(finding(noted: noted, incarnation: 12) == .setBack)
    #expect(finding(noted: nil, incarnation: 11, exported: 5) == .unmarked)
    #expect(finding(noted: nil, incarnation: 11, exported: 6) == .setBack)
    #expect(finding(noted: nil, incarnation: 12) == .setBack)
  }

  @Test func `a place that differs is a copy, whatever the identity file says`() {
    for place in [StorePlace(inode: 8, createdAtMilliseconds: 1_000), StorePlace(inode: 7, createdAtMilliseconds: 999)]
    {
      let noted = NotedPlace(place: place, replaced: 10)
      #expect(finding(noted: noted) == .copied)
      #expect(finding(noted: noted, incarnation: 11, exported: 5) == .copied)
      #expect(finding(noted: NotedPlace(place: here, replaced: 10), incarnation: 12, filePlace: place) == .original)
    }
  }

  @Test func `where files are numbered anew at each mount the time of creation decides`() {
    let noted = NotedPlace(place: StorePlace(inode: 8, createdAtMilliseconds: 1_000), replaced: 10)
    #expect(finding(noted: noted, numbersLast: false) == .original)
    let older = NotedPlace(place: StorePlace(inode: 7, createdAtMilliseconds: 900), replaced: 10)
    #expect(finding(noted: older, numbersLast: false) == .copied)
    #expect(FileSystemKind(name: "ext4").numbersLast)
    for name in ["vfat", "exfat", "fuse.sshfs", "nfs4"] { #expect(!FileSystemKind(name: name).numbersLast) }
  }
}

/// The bytes on the disk, for ever: `identity-1` and stores of every format in `SyncFixtures/golden`.
@Suite struct IdentityFormatTests {
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/golden").standardizedFileURL

  private var file: IdentityFile {
    var header = StoreHeader(
      storeID: RecordID(high: 0x601D, low: 1), replica: ReplicaID(0xA1B2_C3D4_E5F6_0718),
      incarnation: 0x1122_3344_5566_7788, createdAtMilliseconds: 0)
    header.createdAtMilliseconds = 1_700_000_000_123
    return IdentityFile(
      header, lastExported: 42, place: StorePlace(inode: 987_654_321, createdAtMilliseconds: 1_700_000_000_456))
  }

  @Test func `an identity file reads as it was written, and is written the same`() throws {
    let bytes = [UInt8](try Data(contentsOf: Self.golden.appending(path: "identity-1/shop.store.identity")))
    #expect(try bytes.withRawBytes { try IdentityFile(decoding: $0) } == file)
    #expect(file.encoded() == bytes)
  }

  @Test func `every flipped bit and every other length of an identity file is seen`() throws {
    let bytes = file.encoded()
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(try flipped.withRawBytes { try IdentityFile(decoding: $0) } == nil)
    }
    for count in 0..<bytes.count {
      #expect(try Array(bytes.prefix(count)).withRawBytes { try IdentityFile(decoding: $0) } == nil)
    }
    #expect(try (bytes + [0]).withRawBytes { try IdentityFile(decoding: $0) } == nil)
  }

  @Test func `every flipped bit and every other length of a noted place is refused`() throws {
    let noted = NotedPlace(place: StorePlace(inode: 9, createdAtMilliseconds: 8), replaced: 7)
    let bytes = noted.encoded()
    #expect(try bytes.withRawBytes { try NotedPlace(decoding: $0) } == noted)
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(storeErrorCode { _ = try flipped.withRawBytes { try NotedPlace(decoding: $0) } } == .damaged)
    }
    for count in 0..<bytes.count {
      let cut = Array(bytes.prefix(count))
      #expect(storeErrorCode { _ = try cut.withRawBytes { try NotedPlace(decoding: $0) } } == .damaged)
    }
  }

  private func withGolden(_ name: String, _ body: (StoreConfiguration, URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appending(path: "old.store")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let data = url.appending(path: "data.mdb")
    try FileManager.default.copyItem(at: Self.golden.appending(path: "\(name)/data.mdb"), to: data)
    try body(StoreConfiguration(url: url, createsIfMissing: false), data)
  }

  @Test func `a store of format 1 becomes one of format 3 with its first write, and keeps its id`() throws {
    try withGolden("store-1") { configuration, data throws in
      let before = try Data(contentsOf: data)
      var reading = configuration
      reading.isReadOnly = true
      let replica = try RecordStore.open(reading).read { try $0.replica }
      #expect(try RecordStore.open(reading).statistics().formatVersion == 1)
      #expect(try Data(contentsOf: data) == before)
      let store = try RecordStore.open(configuration)
      // A write that fails leaves the old format.
      struct Refused: Error {}
      #expect(throws: Refused.self) { try store.commit { _ -> (SaveRequest, Int) in throw Refused() } }
      #expect(try store.statistics().formatVersion == 1)
      #expect(try store.confirmIdentity() == replica)
      #expect(try store.statistics().formatVersion == 3)
      try expectSound(store)
    }
  }

  @Test func `a store of format 2 reads, with its records`() throws {
    try withGolden("store-2") { configuration, _ throws in
      let store = try RecordStore.open(configuration)
      #expect(try store.statistics().formatVersion == 2)
      let names = try FixtureNames(store)
      #expect(try store.value("Tag", fixtureID(1), "name") == .string("golden"))
      #expect(try store.read { try $0.count(RecordQuery(entity: names.entity("Trip"))) } == 1)
      try expectSound(store)
      // It came by copying, so it is another's.
      let replica = try store.read { try $0.replica }
      #expect(try store.confirmIdentity() != replica)
      try expectSound(store)
    }
  }

  @Test func `a newer format is refused with both numbers, also by a process that has the store open`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let configuration = StoreConfiguration(url: folder.appending(path: "shop.store"), durability: .unsafeNoFlush)
    let store = try RecordStore.open(configuration, schema: .fixture)
    try store.write { transaction, layout throws -> (Void, StoreLayout) in
      var bytes = try MetaTable(transaction.view, layout.databases.meta, path: "").header().encoded()
      bytes[8] = 4
      let checksum = Array(bytes[..<54]).withRawBytes { $0.checksum }
      bytes.replaceSubrange(54..<58, with: withUnsafeBytes(of: checksum.littleEndian) { Array($0) })
      try transaction.put(layout.databases.meta, key: StoreHeader.key, value: bytes)
      return ((), layout)
    }
    for attempt in [{ _ = try store.commit(SaveRequest(changes: [])) }, { _ = try store.read { try $0.replica } }] {
      let error = #expect(throws: StoreError.self) { try attempt() }
      #expect(error?.code == .newerFormat)
      #expect(error?.message.contains("format 4, this build reads up to 3; update the app") == true)
    }
  }
}
