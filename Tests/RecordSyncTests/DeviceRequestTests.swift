import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// What a synchronisation is asked to do, and where: nothing is written where nobody asked.
struct DeviceRequestTests {
  private typealias Device = DeviceSyncTests.Device
  private static let place = DeviceSyncTests.place

  private func sync(_ change: (inout DeviceSync.Options) -> Void = { _ in }) -> DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    change(&options)
    return DeviceSync(options: options)
  }

  private func make(_ entry: String, in folder: URL) throws {
    let place = folder.appending(path: entry)
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    if entry.hasSuffix("/") {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    } else {
      try Data("something".utf8).write(to: place)
    }
  }

  private func paths(_ folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
  }

  /// A store was made in `/etc`.
  @Test(arguments: [
    (["passwd"], false), (["ssl/openssl.cnf"], false), (["empty/"], true), ([".profile"], false), ([], true),
    (["group/.half-made.partial"], true), (["passwd", "group/Default.exchange/"], true),
  ])
  func `a device's directory is empty or has stores, and any other is left as it is`(
    entries: [String], isTaken: Bool
  ) async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    for entry in entries { try make(entry, in: laptop.root.url) }
    let before = try paths(laptop.root.url)
    if !isTaken {
      let error = await #expect(throws: SyncError.self) {
        try await sync().synchronize(phone.directory, laptop.directory)
      }
      #expect(error?.code == .foreignDirectory)
      #expect(error?.message.contains("--create") == true)
      #expect(try paths(laptop.root.url) == before)
    }
    let report = try await sync { $0.acceptsForeignDirectories = !isTaken }
      .synchronize(phone.directory, laptop.directory)
    #expect(report.isComplete, "\(report)")
    #expect(try phone.dump() == laptop.dump())
    // Then it is a device's like any other.
    #expect(try await sync().synchronize(phone.directory, laptop.directory).isUnchanged)
  }

  @Test(arguments: [
    (["photo.jpg"], false), ([".stfolder/", ".stignore"], true), (["tandem1-\(RecordID(high: 1, low: 2))/"], true),
  ])
  func `a folder that another tool moves may have what tools keep for themselves, and nothing else`(
    entries: [String], isTaken: Bool
  ) async throws {
    let (phone, root) = (try Device(), try TemporaryFolder())
    try phone.insertTag(1)
    for entry in entries { try make(entry, in: root.url) }
    let folder = try DeviceDirectory(root.url)
    do {
      _ = try await sync().synchronize(phone.directory, folder: folder)
      #expect(isTaken)
    } catch let error as SyncError where error.code == .foreignDirectory {
      #expect(!isTaken)
    }
  }

  @Test func `a first synchronisation that is killed at any point goes on with the next one`() async throws {
    var (point, isKilled) = (0, true)
    while isKilled {
      let (phone, laptop) = (try Device(), try Device(hasStore: false))
      try phone.insertTag(1)
      isKilled = try await isStopped(at: point) {
        _ = try await sync().synchronize(phone.directory, laptop.directory)
      }
      _ = try await sync().synchronize(phone.directory, laptop.directory)
      #expect(try phone.dump() == laptop.dump(), "killed at point \(point)")
      point += 2
    }
    #expect(point > 20, "it passes many points")
  }

  /// The half-made store was opened as if it were whole, and refused for ever: there is no store at ….
  @Test(arguments: [["creation.lock"], ["creation.lock", "creating/data.mdb"], ["data.mdb"]])
  func `a store of which a killed process has left no data is made`(left: [String]) async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    for entry in left {
      let file = laptop.directory.store(at: Self.place).appending(path: entry)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
    }
    #expect(try laptop.directory.status(configuration: StoreConfiguration(url: nil)).isEmpty)
    let plan = try await sync().plan(phone.directory, laptop.directory)
    #expect(plan.stores.first?.devices[laptop.directory.url.path]?.isCreated == true)
    let report = try await sync().synchronize(phone.directory, laptop.directory)
    #expect(report.isComplete, "\(report)")
    #expect(try phone.dump() == laptop.dump())
  }

  @Test func `a directory that is missing is made in a folder that is there, and only when it is asked for`() throws {
    let root = try TemporaryFolder()
    let place = root.url.appending(path: "laptop")
    let directory = try DeviceDirectory(toBeMadeAt: place)
    #expect(try paths(root.url) == [])
    try directory.make()
    #expect(try directory == DeviceDirectory(place))
    try directory.make()
    #expect(
      syncErrorCode { _ = try DeviceDirectory(toBeMadeAt: root.url.appending(path: "tpyo/laptop")) } == .unknownDevice)
    #expect(try paths(root.url) == ["laptop"])
  }

  // MARK: Some stores

  @Test func `only the stores that are named are synchronised, and one that nobody has is refused`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    let other = DeviceDirectory.Place(group: "group.com.example", name: "Other")
    let second = try RecordStore.open(
      StoreConfiguration(url: phone.directory.store(at: other), durability: .unsafeNoFlush), schema: .fixture)
    try second.save(FixtureNames(second).insert("Tag", fixtureID(1), ["name": .string("other")]))
    let report = try await sync { $0.only = [Self.place] }.synchronize(phone.directory, laptop.directory)
    #expect(report.stores.map(\.place) == [Self.place])
    #expect(try laptop.directory.places() == [Self.place])
    let error = await #expect(throws: SyncError.self) {
      let wrong = DeviceDirectory.Place(group: "group.com.example", name: "Othr")
      return try await sync { $0.only = [Self.place, wrong] }.synchronize(phone.directory, laptop.directory)
    }
    #expect(error?.code == .unknownPlace)
    #expect(
      error?.message == "there is no store group.com.example/Othr on either side; there are: "
        + "group.com.example/Default, group.com.example/Other")
    #expect(try await sync().synchronize(phone.directory, laptop.directory).stores.count == 2)
    #expect(try laptop.directory.places() == [Self.place, other])
  }

  @Test(arguments: ["", "a", "a/", "/b", "a/b/c", "../b", "a/.b"]) func `a text of another form names no place`(
    text: String
  ) {
    #expect(DeviceDirectory.Place(text) == nil)
  }

  // MARK: The plan

  /// Numbers of a plan and of the run that follows.
  private func expectPlanKept(
    _ left: Device, _ right: Device, _ comment: Comment? = nil
  ) async throws {
    let plan = try await sync().plan(left.directory, right.directory)
    let report = try await sync().synchronize(left.directory, right.directory)
    #expect(plan.isUnchanged == report.isUnchanged)
    let (planned, done) = (try #require(plan.stores.first), try #require(report.stores.first))
    #expect(planned.failure == nil && done.failure == nil)
    for device in [left, right] {
      let path = device.directory.url.path
      let (planned, report) = (try #require(planned.devices[path]), try #require(done.devices[path]))
      #expect(planned.isCreated == done.created.contains(path))
      #expect(planned.transactionsExported == UInt64(report.transactionsExported), comment)
      #expect(planned.transactionsMerged == UInt64(report.transactionsMerged), comment)
      #expect(planned.joinsSnapshot == (report.snapshotsJoined > 0), comment)
    }
  }

  @Test func `a plan tells what the next run does`() async throws {
    let (phone, laptop, tablet) = (try Device(), try Device(hasStore: false), try Device())
    for number in 1...3 as ClosedRange<UInt64> { try phone.insertTag(number) }
    try await expectPlanKept(phone, laptop, "a first synchronisation")
    try await expectPlanKept(phone, laptop, "nothing to do")
    for number in 4...6 as ClosedRange<UInt64> { try laptop.insertTag(number) }
    try phone.insertTag(7)
    try await expectPlanKept(phone, laptop, "both have saved")
    try tablet.insertTag(8)
    try await expectPlanKept(laptop, tablet, "two stores that were made apart")
    try await expectPlanKept(phone, laptop, "what a third one has passes on")
    #expect(try phone.dump() == laptop.dump())
  }

  @Test func `a plan of a device behind a snapshot says that it begins with that`() async throws {
    let (phone, laptop, fresh) = (try Device(), try Device(hasStore: false), try Device(hasStore: false))
    for number in 1...5 as ClosedRange<UInt64> {
      try phone.insertTag(number)
      for _ in 0..<2 { _ = try await sync().synchronize(phone.directory, laptop.directory) }
    }
    var options = SyncOptions()
    options.storeID = Self.place.familyID
    for _ in 0..<2 {
      _ = try await SyncEngine(
        store: phone.opened(), folder: phone.directory.exchange(at: Self.place), options: options
      ).compact()
      _ = try await sync().synchronize(phone.directory, laptop.directory)
    }
    try await expectPlanKept(phone, fresh)
    #expect(try fresh.dump() == phone.dump())
  }

  // MARK: When

  @Test func `a store notes when it was synchronised with what, once an hour while there is nothing to do`()
    async throws
  {
    let clock = ManualClock()
    let (phone, root) = (try Device(), try TemporaryFolder())
    let folder = try DeviceDirectory(root.url)
    try phone.insertTag(1)
    phone.store = nil
    let sync = sync { $0.configuration.clock = clock.wallClock }
    func noted() throws -> [UInt64] {
      let status = try #require(phone.directory.status(configuration: StoreConfiguration(url: nil)).first?.status)
      #expect(status.lastSynchronizations.allSatisfy { $0.path == root.url.resolvingSymlinksInPath().path })
      return status.lastSynchronizations.map(\.milliseconds)
    }
    #expect(try noted() == [])
    _ = try await sync.synchronize(phone.directory, folder: folder)
    let first = clock.wallClock.now()
    #expect(try noted() == [first])
    for (minutes, expected) in [(30, first), (29, first), (2, first + 61 * 60_000)] as [(UInt64, UInt64)] {
      clock.advance(byMilliseconds: minutes * 60_000)
      _ = try await sync.synchronize(phone.directory, folder: folder)
      #expect(try noted() == [expected])
    }
    clock.advance()
    try phone.insertTag(2)
    phone.store = nil
    _ = try await sync.synchronize(phone.directory, folder: folder)
    #expect(try noted() == [clock.wallClock.now()])
  }

  @Test func `the newest sixteen places are noted`() throws {
    let phone = try Device()
    let store = try phone.opened()
    for number in 0..<20 { try LastSynchronization.note("/stick \(number)", in: store, hasChanged: true) }
    let all = try LastSynchronization.all(of: store)
    #expect(all.count == 16)
    #expect(all.contains { $0.path == "/stick 19" })
  }
}
