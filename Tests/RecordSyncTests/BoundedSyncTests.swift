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
      let report = try await run(devices[0].0, devices[0].1, bound: bound)
      let news = try moved(root.url, laptop, phone).filter { before[$0.key] == nil }.values.sorted()
      // The first file of each way may be as large as it is.
      #expect(news.dropLast(2).reduce(0, +) <= bound, "\(news)")
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

  /// The change sets and values in the shared folder, and those of others on both devices, with their lengths.
  private func moved(_ root: URL, _ devices: Device...) throws -> [String: Int] {
    var found: [String: Int] = [:]
    let folders = try [(root, "")] + devices.map { ($0.root.url, try $0.opened().read { "/r/\(try $0.replica)/" }) }
    for (index, (folder, own)) in folders.enumerated() {
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
        if !own.isEmpty, path.contains(own) { continue }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let isValue = path.contains("/blobs/") && name.utf8.count == 64
        guard name.hasSuffix(".tcs") || name.hasSuffix(ExchangeFolder.valueSuffix) || isValue else { continue }
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
