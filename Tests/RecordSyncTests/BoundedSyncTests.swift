import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Runs that may move so many bytes, and leave the rest to the next ones.
struct BoundedSyncTests {
  private typealias Device = LargeValueDeviceTests.Device

  @Test func `a budget moves the first file of each way whatever its size, and none past one that it left`() throws {
    #expect(ByteBudget(nil) == nil)
    let budget = try #require(ByteBudget(100))
    #expect(budget.isUnused)
    #expect(budget.admits("a", of: "s", byteCount: 500, .taken))
    #expect(!budget.admits("b", of: "s", byteCount: 1, .taken) && budget.isClosed(.taken))
    #expect(budget.admits("c", of: "s", byteCount: 1, .given))
    #expect(!budget.admits("d", of: "t", byteCount: 0, .given))
    #expect(!budget.admits("b", of: "s", byteCount: 1, .taken))
    #expect(budget.hasLeft("b", of: "s") && !budget.hasLeft("a", of: "s"))
    #expect(budget.sentences(on: "s").count == 1 && budget.sentences(on: "s")[0].hasPrefix("1 file of 1 bytes is left"))
    #expect(budget.sentences(on: "u") == [])
    let small = try #require(ByteBudget(100))
    for name in ["a", "b"] { #expect(small.admits(name, of: "s", byteCount: 50, .taken)) }
    #expect(!small.admits("c", of: "s", byteCount: 1, .taken))
    let damaged = try #require(ByteBudget(100))
    #expect(damaged.admits("a", of: "s", byteCount: 500, .taken))
    damaged.giveBack(500, .taken)
    #expect(damaged.admits("b", of: "s", byteCount: 200, .taken))
  }

  @Test func `heads take room, never the place of the first file, and one goes where there is no room`() throws {
    let budget = try #require(ByteBudget(100))
    #expect(budget.admitsHeads("h1", of: "s", byteCount: 60, .taken) && budget.isUnused)
    #expect(budget.admitsHeads("h2", of: "s", byteCount: 60, .taken))
    #expect(!budget.admitsHeads("h3", of: "s", byteCount: 60, .taken))
    #expect(budget.hasLeftHeads(.taken) && !budget.hasLeftHeads(.given) && !budget.isClosed(.taken))
    #expect(budget.hasLeft("h3", of: "s") && !budget.isUnused)
    #expect(budget.admits("a", of: "s", byteCount: 500, .taken))
    #expect(!budget.admits("b", of: "s", byteCount: 1, .taken))
    // The other way has a head and a file of its own.
    #expect(budget.admitsHeads("h4", of: "s", byteCount: 60, .given))
    #expect(budget.admits("c", of: "s", byteCount: 500, .given))
    let other = try #require(ByteBudget(100))
    #expect(other.admitsHeads("h1", of: "s", byteCount: 60, .taken))
    #expect(other.admits("a", of: "s", byteCount: 10, .taken))
    #expect(!other.admits("b", of: "s", byteCount: 50, .taken), "the head has taken the room")
  }

  @Test func `a file that waits for another one gives back its room and the way`() throws {
    let budget = try #require(ByteBudget(100))
    #expect(budget.admits("a", of: "s", byteCount: 500, .taken))
    #expect(!budget.admits("b", of: "s", byteCount: 10, .taken))
    let isUsed = budget.inPlace(of: [500], .taken) { budget.admits("value", of: "s", byteCount: 900, .taken) }
    #expect(isUsed && budget.isClosed(.taken))
    #expect(!budget.admits("c", of: "s", byteCount: 1, .taken))
  }

  /// The change set went first in every run and waited for the value, for which there was then no room.
  @Test(arguments: [1, 250_000], [false, true])
  func `a large value in an index comes with a bound, too`(bound: Int, isSnapshot: Bool) async throws {
    var indexed = LargeValueTests.Album.schema
    indexed.entities[0].indexes = [IndexDefinition("image")]
    let album = try LargeValueTests.Album(schemas: [LargeValueTests.Album.schema, indexed])
    // No two cases share values, for a process reads them from any store that it has open.
    let seed = UInt64(bound) + (isSnapshot ? 10 : 20)
    let images = (1...3).map { SeededGenerator.bytes(151_000 + $0, seed + UInt64($0)) }
    for (index, image) in images.enumerated() {
      try album.insert(UInt64(index + 1), image, on: 0)
      _ = try await album.engine(0).export()
    }
    if isSnapshot {
      _ = try await album.engine(0).writeSnapshot()
      try FileManager.default.removeItem(at: album.exchange.stream(of: album.replicas[0].id))
    }
    try FileManager.default.removeItem(at: album.replicas[0].store.url.appending(path: "blobs"))
    var runs = 0
    var isComplete = false
    while !isComplete {
      runs += 1
      try #require(runs < 12, "every run comes further")
      let report = try await album.engine(1) { $0.maximumBytes = bound }.import()
      let news = report.transactionsMerged + report.valuesReceived + report.snapshotsJoined
      #expect(news > 0 || report.isComplete, "\(report)")
      isComplete = report.isComplete && report.postponed.isEmpty
      try album.replicas[1].temporary.check()
    }
    for image in images { #expect(try album.has(image, 1)) }
    #expect(try album.replicas[1].dump == album.replicas[0].dump)
  }

  @Test func `a forked stream is merged file by file, and each state on the way is valid`() async throws {
    let clock = ManualClock()
    let phone = try TestReplica(clock: clock)
    func insert(_ number: UInt64, on replica: TestReplica) async throws {
      try replica.save(replica.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
      _ = try await replica.engine().export()
    }
    for number in 1...2 { try await insert(UInt64(number), on: phone) }
    let copy = try TestReplica(copyOf: phone)
    for number in 3...5 { try await insert(UInt64(number), on: phone) }
    for number in 6...8 { try await insert(UInt64(number), on: copy) }
    #expect(try phone.id == copy.id)
    let (laptop, tablet) = (try TestReplica(clock: clock), try TestReplica(clock: clock))
    for reader in [laptop, tablet] {
      for author in [phone, copy] { _ = try ExchangeCopy(source: author.exchange, target: reader.exchange).run() }
    }
    for step in 1...8 {
      let report = try await laptop.engine { $0.maximumBytes = 1 }.import()
      #expect(report.transactionsMerged == 1, "\(step): \(report)")
      #expect(report.postponed.isEmpty == (step == 8), "\(step): \(report)")
      #expect(report.warnings.contains { $0.contains("both are taken") } == (step == 8), "\(step): \(report)")
      try laptop.temporary.check()
    }
    #expect(try await laptop.engine { $0.maximumBytes = 1 }.import().transactionsMerged == 0)
    _ = try await tablet.engine().import()
    #expect(try laptop.dump == tablet.dump)
    for number in 1...8 { #expect(try laptop.store.isVisible("Tag", fixtureID(UInt64(number)))) }
  }

  /// The heads of many replicas are more than a bound on a run lets pass.
  @Test(arguments: [1, 2_000]) func `heads that a bound leaves come run by run`(bound: Int) throws {
    let (source, target) = (try TemporaryFolder(), try TemporaryFolder())
    let folders = [source, target].map { ExchangeFolder(root: $0.url, storeID: TestReplica.family) }
    for folder in folders { try folder.create() }
    for number in 1...12 {
      let replica = ReplicaID(UInt64(number))
      _ = try folders[0].publish(
        ReplicaHead(
          storeID: TestReplica.family, replica: replica, lastSequence: 0, clock: .zero, applied: VersionVector(),
          displayName: String(repeating: "x", count: 200)))
    }
    func byteCount() throws -> Int {
      try FileManager.default.subpathsOfDirectory(atPath: folders[1].replicas.path).reduce(0) { sum, path in
        sum + (try DurableFile.size(of: folders[1].replicas.appending(path: path)) ?? 0)
      }
    }
    var (runs, there, isLeft) = (0, 0, true)
    while isLeft {
      runs += 1
      var copy = ExchangeCopy(source: folders[0], target: folders[1])
      copy.budget = ByteBudget(bound)
      _ = try copy.run()
      let now = try byteCount()
      #expect(now > there && now - there <= bound + 600, "\(now - there) bytes in run \(runs)")
      there = now
      isLeft = copy.budget?.sentences(on: "").isEmpty == false
    }
    #expect(runs == (bound == 1 ? 12 : runs) && runs > 1)
    for number in 1...12 {
      let replica = ReplicaID(UInt64(number))
      #expect(try folders[1].headNames(of: replica) == folders[0].headNames(of: replica))
    }
  }

  /// Replicas were looked at in the order of their ids: those that had a new head before every run took the room of the
  /// others for ever.
  @Test(arguments: [LargeValueChoiceTests.Way.folder, .transport], [1, 700])
  func `heads that are renewed before every run keep no other head away`(
    _ way: LargeValueChoiceTests.Way, bound: Int
  ) async throws {
    let (phone, root) = (try Device(), try TemporaryFolder())
    let place = LargeValueDeviceTests.place
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    func run() async throws {
      let sync = DeviceSync(options: options)
      _ =
        way == .folder
        ? try await sync.synchronize(phone.directory, folder: DeviceDirectory(root.url))
        : try await sync.synchronize(phone.directory, transport: FolderTransport(root.url))
    }
    try phone.insert(1, Data([1]))
    try await run()
    let shared = place.exchangeFolder(in: root.url, key: nil)
    let own = ExchangeFolder(root: phone.directory.exchange(at: place), storeID: place.familyID)
    let others = (1...6).map { ReplicaID(UInt64($0)) }
    func renew(_ replica: ReplicaID, _ count: Int) throws {
      var head = ReplicaHead(
        storeID: place.familyID, replica: replica, lastSequence: 0, clock: .zero, applied: VersionVector(),
        displayName: String(repeating: "x", count: 190))
      head.displayName += "\(count)"
      _ = try shared.publish(head)
    }
    for replica in others { try renew(replica, 0) }
    options.maximumBytes = bound
    for count in 1...others.count + 1 {
      for replica in others.dropLast() { try renew(replica, count) }
      try await run()
    }
    for replica in others { #expect(try own.newestHead(of: replica) != nil, "\(replica)") }
  }

  /// Stores were looked at in the order of their places, and the first file of the first one closed the way for the
  /// others in every run.
  @Test(arguments: [LargeValueChoiceTests.Way.folder, .transport], [false, true])
  func `a store that has news before every run keeps no other store away`(
    _ way: LargeValueChoiceTests.Way, isGiven: Bool
  ) async throws {
    let (phone, laptop, root) = (try Device(), try Device(), try TemporaryFolder())
    let places = ["a", "b", "c"].map { DeviceDirectory.Place(group: "group.example", name: $0) }
    func store(_ device: Device, _ place: DeviceDirectory.Place) throws -> RecordStore {
      let url = device.directory.store(at: place)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      return try RecordStore.open(
        StoreConfiguration(url: url, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20),
        schema: LargeValueTests.Album.schema)
    }
    func insert(_ number: UInt64, _ device: Device, _ place: DeviceDirectory.Place) throws {
      let store = try store(device, place)
      try store.save(FixtureNames(store).insert("Photo", fixtureID(number), ["name": .string("\(number)")]))
    }
    func run(_ device: Device, _ maximumBytes: Int?) async throws {
      var options = DeviceSync.Options()
      options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
      options.maximumBytes = maximumBytes
      options.only = Set(places)
      let sync = DeviceSync(options: options)
      _ =
        way == .folder
        ? try await sync.synchronize(device.directory, folder: DeviceDirectory(root.url))
        : try await sync.synchronize(device.directory, transport: FolderTransport(root.url))
    }
    for place in places { for device in [phone, laptop] { _ = try store(device, place) } }
    // The one that is bounded takes, or gives.
    let (writer, reader) = (phone, laptop)
    for place in places { try insert(1, writer, place) }
    if !isGiven { try await run(writer, nil) }
    for count in 2...6 {
      for place in places.dropLast() { try insert(UInt64(count), writer, place) }
      if isGiven {
        try await run(writer, 1)
      } else {
        try await run(writer, nil)
        try await run(reader, 1)
      }
    }
    if isGiven { try await run(reader, nil) }
    for place in places { #expect(try store(reader, place).isVisible("Photo", fixtureID(1)), "\(place)") }
    for device in [phone, laptop] { for place in places { try expectSound(store(device, place)) } }
  }

  @Test func `a stream that grows before every run keeps no other stream away`() async throws {
    let album = try LargeValueTests.Album(count: 3)
    let (first, second) = try album.replicas[0].id < album.replicas[1].id ? (0, 1) : (1, 0)
    try album.insert(1, Data([1]), on: second)
    _ = try await album.engine(second).export()
    var number: UInt64 = 1
    for _ in 1...3 {
      for _ in 1...2 {
        number += 1
        try album.insert(number, Data([UInt8(number)]), on: first)
        _ = try await album.engine(first).export()
      }
      #expect(try await album.engine(2) { $0.maximumBytes = 1 }.import().transactionsMerged == 1)
    }
    #expect(try album.replicas[2].store.isVisible("Photo", fixtureID(1)))
    try await album.sync(0, 1, 2, 0, 1)
    try album.expectEqual()
  }

  @Test(arguments: [false, true])
  func `an engine with a bound publishes and merges file by file, and each state on the way is valid`(
    isSealed: Bool
  ) async throws {
    let album = try LargeValueTests.Album(isSealed: isSealed)
    for number in 1...5 { try album.insert(UInt64(number), Data([UInt8(number)]), on: 0) }
    try album.insert(6, SeededGenerator.bytes(200_000, 6), on: 0)
    try album.insert(7, SeededGenerator.bytes(200_000, 7), on: 0)
    func run(_ index: Int) async throws -> SyncReport {
      try await album.engine(index) { options in
        (options.maximumBytes, options.changeSetBytes) = (1, 1)
      }.sync()
    }
    // Seven change sets, then two values.
    for step in 1...9 {
      let report = try await run(0)
      #expect(report.filesExported == (step <= 7 ? 1 : 0) && report.valuesDelivered == (step <= 7 ? 0 : 1), "\(report)")
      #expect(report.postponed.isEmpty == (step == 9) && report.isComplete == (step == 9), "\(step): \(report)")
    }
    #expect(try await run(0).isUnchanged)
    for step in 1...9 {
      let report = try await run(1)
      #expect(report.transactionsMerged == (step <= 7 ? 1 : 0), "\(report)")
      #expect(report.valuesReceived == (step <= 7 ? 0 : 1), "\(report)")
      #expect(report.postponed.isEmpty == (step == 9) && report.isComplete == (step == 9), "\(step): \(report)")
      try album.replicas[1].temporary.check()
    }
    try album.expectEqual()
    #expect(try await run(1).isUnchanged)
  }

  @Test func `an engine that meets a damaged file that fills its bound goes on with the others`() async throws {
    let album = try LargeValueTests.Album(count: 3)
    // Streams are read in the order of their ids.
    let (first, second) = try album.replicas[0].id < album.replicas[1].id ? (0, 1) : (1, 0)
    try album.insert(1, SeededGenerator.bytes(100_000, 1), on: first)
    try album.insert(2, Data([2]), on: second)
    try await album.sync(0, 1)
    let file = try #require(album.exchange.listing(of: album.replicas[first].id).files.first)
    var bytes = try Data(contentsOf: file.url)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: file.url)
    let report = try await album.engine(2) { $0.maximumBytes = 1 }.sync()
    #expect(report.refused.count == 1 && report.transactionsMerged == 1, "\(report)")
  }

  @Test(arguments: LargeValueChoiceTests.Way.allCases, [1, 300_000])
  func `devices with a bound become equal run by run, and no run moves more than it may`(
    _ way: LargeValueChoiceTests.Way, bound: Int
  ) async throws {
    let (phone, laptop, root) = (try Device(), try Device(), try TemporaryFolder())
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    func run(_ device: Device, _ other: Device, bound: Int?) async throws -> DeviceReport {
      options.maximumBytes = bound
      let sync = DeviceSync(options: options)
      switch way {
      case .directly: return try await sync.synchronize(device.directory, other.directory)
      case .folder: return try await sync.synchronize(device.directory, folder: DeviceDirectory(root.url))
      case .transport: return try await sync.synchronize(device.directory, transport: FolderTransport(root.url))
      }
    }
    let elsewhere = try TemporaryFolder()
    for number in 1...6 {
      let image = SeededGenerator.bytes(number < 4 ? 50_000 : 140_000 + number, UInt64(number))
      try phone.insert(UInt64(number), image)
      // A change set each, in the device's own copy.
      _ = try await DeviceSync(options: options).synchronize(
        phone.directory, folder: DeviceDirectory(elsewhere.url))
    }
    try laptop.insert(9, SeededGenerator.bytes(150_000, 9))
    var runs = 0
    var devices = [(phone, laptop), (laptop, phone)]
    var complete = 0
    while complete < 2 {
      runs += 1
      try #require(runs < 60, "every run moves at least one file")
      let before = try moved(root.url, laptop, phone)
      let headsBefore = try headNames(in: root.url)
      let report = try await run(devices[0].0, devices[0].1, bound: bound)
      let news = try moved(root.url, laptop, phone).filter { before[$0.key] == nil }.values.sorted()
      // The first file of each way may be as large as it is.
      #expect(news.dropLast(2).reduce(0, +) <= bound, "\(news)")
      let heads = Set(try headNames(in: root.url)).subtracting(headsBefore)
      #expect(bound > 1 || heads.count <= 2, "one head each way: \(heads)")
      #expect(news.count <= 2 || news.reduce(0, +) <= bound + (news.last ?? 0), "\(news)")
      #expect(!news.isEmpty || report.stores[0].postponed.isEmpty, "\(report)")
      for device in [phone, laptop] { try expectSound(device.opened()) }
      complete = report.isComplete && report.isUnchanged ? complete + 1 : 0
      devices.swapAt(0, 1)
    }
    #expect(runs > (bound == 1 ? 8 : 3))
    #expect(try phone.dump == laptop.dump)
    for number in 4...6 { #expect(try laptop.has(SeededGenerator.bytes(140_000 + number, UInt64(number)))) }
    #expect(try phone.has(SeededGenerator.bytes(150_000, 9)))
  }

  private func headNames(in root: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".thd") }
  }

  /// The change sets and values in the shared folder, and those of others on both devices, with their lengths.
  private func moved(_ root: URL, _ devices: Device...) throws -> [String: Int] {
    var found: [String: Int] = [:]
    let folders = try [(root, "")] + devices.map { ($0.root.url, try $0.opened().read { "/r/\(try $0.replica)/" }) }
    for (index, (folder, own)) in folders.enumerated() {
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
        if !own.isEmpty, path.contains(own) { continue }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let isValue = path.contains("/blobs/") && name.utf8.count == 64
        guard name.hasSuffix(".tcs") || name.hasSuffix(".tlv") || isValue else { continue }
        let size = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + path)[.size] as? Int
        found["\(index) \(name)"] = size ?? 0
      }
    }
    return found
  }

  @Test func `a head that tells of a snapshot stays behind as long as the snapshot does`() async throws {
    let (phone, root) = (try Device(), try TemporaryFolder())
    let place = LargeValueDeviceTests.place
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    for number in 1...3 { try phone.insert(UInt64(number), SeededGenerator.bytes(100_000, UInt64(number))) }
    _ = try await DeviceSync(options: options).synchronize(phone.directory, folder: DeviceDirectory(root.url))
    try phone.insert(4, SeededGenerator.bytes(100_000, 4))
    var engineOptions = SyncOptions()
    engineOptions.storeID = place.familyID
    engineOptions.exchangesValues = false
    let engine = SyncEngine(
      store: try phone.opened(), folder: phone.directory.exchange(at: place), options: engineOptions)
    _ = try await engine.export()
    _ = try await engine.writeSnapshot()
    let shared = place.exchangeFolder(in: root.url, key: nil)
    let replica = try phone.opened().read { try $0.replica }
    let before = try shared.headNames(of: replica)
    // Something that goes first.
    var copy = ExchangeCopy(
      source: ExchangeFolder(root: phone.directory.exchange(at: place), storeID: place.familyID), target: shared)
    let budget = try #require(ByteBudget(1))
    #expect(budget.admits("another file", of: "", byteCount: 1, .given))
    copy.budget = budget
    let outcome = try copy.run()
    #expect(outcome.copied == 0)
    #expect(try shared.headNames(of: replica) == before && shared.intactSnapshots().isEmpty)
    #expect(!budget.sentences(on: "").isEmpty)
    copy.budget = nil
    #expect(try copy.run().copied == 2)
    #expect(try shared.headNames(of: replica) != before && shared.intactSnapshots().count == 1)
  }
}
