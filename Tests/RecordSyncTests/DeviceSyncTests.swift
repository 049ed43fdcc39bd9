import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

struct DeviceSyncTests {
  static let place = DeviceDirectory.Place(group: "group.com.example", name: "Default")

  /// A device directory with or without a store of the fixture's schema.
  final class Device {
    let root: TemporaryFolder
    let directory: DeviceDirectory
    var store: RecordStore?

    init(hasStore: Bool = true) throws {
      root = try TemporaryFolder()
      directory = try DeviceDirectory(root.url)
      guard hasStore else { return }
      let url = directory.store(at: DeviceSyncTests.place)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      store = try RecordStore.open(
        StoreConfiguration(url: url, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20), schema: .fixture)
    }

    func opened() throws -> RecordStore {
      if let store { return store }
      let made = try RecordStore.open(
        StoreConfiguration(
          url: directory.store(at: DeviceSyncTests.place), createsIfMissing: false, durability: .unsafeNoFlush,
          mapSizeBytes: 256 << 20))
      store = made
      return made
    }

    func insertTag(_ number: UInt64) throws {
      let store = try opened()
      try store.save(
        FixtureNames(store).insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
    }

    func dump() throws -> [String] { try CanonicalDump.lines(of: opened()) }

    func files() throws -> [String] {
      let folder = directory.exchange(at: DeviceSyncTests.place)
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    }
  }

  private var sync: DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    options.timeoutSeconds = 20
    return DeviceSync(options: options)
  }

  @Test func `two stores that were made apart become equal, and a second run has nothing to do`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    try phone.insertTag(1)
    try laptop.insertTag(2)
    #expect(try phone.opened().storeID != laptop.opened().storeID)
    let report = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(report.stores.map(\.failure) == [nil])
    #expect(!report.isUnchanged)
    #expect(try phone.dump() == laptop.dump())
    #expect(try phone.dump().count == 2)
    #expect(try phone.files() == laptop.files())
    #expect(try phone.opened().storeID == DeviceSyncTests.place.familyID)
    #expect(try laptop.opened().storeID == DeviceSyncTests.place.familyID)

    let before = (try phone.files(), try laptop.files())
    let again = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(again.isUnchanged)
    #expect(try (phone.files(), laptop.files()) == before)
    try expectSound(phone.opened())
    try expectSound(laptop.opened())
  }

  @Test func `a store that is missing on one side is created there with its rules`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    let store = try phone.opened()
    let names = try FixtureNames(store)
    try store.save(
      names.insert("Trip", fixtureID(1), ["name": .string("Rome")]),
      names.insert("Stop", fixtureID(2), ["title": .string("Forum"), "trip": .reference(fixtureID(1))]),
      names.insert("Tag", fixtureID(3), ["name": .string("city")]))
    try store.save(names.link("Trip", fixtureID(1), "tags", fixtureID(3)))
    let report = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(report.stores.first?.created == [laptop.directory.url.path])
    #expect(try laptop.dump() == phone.dump())
    let made = try laptop.opened()
    #expect(try made.related("Trip", fixtureID(1), "tags") == [fixtureID(3)])
    #expect(made.storeID == DeviceSyncTests.place.familyID)
    let (left, right) = (try store.read { $0.catalogue }, try made.read { $0.catalogue })
    #expect(StoreSchema(declaredBy: left) == StoreSchema(declaredBy: right))
    #expect(left.entities.map(\.indexes.count) == right.entities.map(\.indexes.count))
    try made.save(names.delete("Trip", fixtureID(1)))
    #expect(try !made.isVisible("Stop", fixtureID(2)))
    try expectSound(made)
  }

  @Test func `a third device gets everything from the second`() async throws {
    let (phone, laptop, tablet) = (try Device(), try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    _ = try await sync.synchronize(phone.directory, laptop.directory)
    try laptop.insertTag(2)
    _ = try await sync.synchronize(laptop.directory, tablet.directory)
    #expect(try tablet.dump().count == 2)
    try tablet.insertTag(3)
    _ = try await sync.synchronize(tablet.directory, phone.directory)
    _ = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(try phone.dump() == tablet.dump())
    #expect(try laptop.dump() == tablet.dump())
  }

  @Test func `a folder that another tool moves carries changes both ways`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    let root = try TemporaryFolder()
    let folder = try DeviceDirectory(root.url)
    try phone.insertTag(1)
    _ = try await sync.synchronize(phone.directory, folder: folder)
    _ = try await sync.synchronize(laptop.directory, folder: folder)
    try laptop.insertTag(2)
    _ = try await sync.synchronize(laptop.directory, folder: folder)
    _ = try await sync.synchronize(phone.directory, folder: folder)
    #expect(try phone.dump() == laptop.dump())
    #expect(try phone.dump().count == 2)
    #expect(try await sync.synchronize(phone.directory, folder: folder).isUnchanged)

    // Unmounted or wiped: nothing is concluded, nothing is written.
    try FileManager.default.removeItem(at: root.url.appending(path: DeviceSyncTests.place.group))
    try phone.insertTag(3)
    let report = try await sync.synchronize(phone.directory, folder: folder)
    #expect(report.stores.first?.failure?.contains("is unmounted or was wiped") == true)
    #expect(try DurableFile.names(in: root.url).isEmpty)
    #expect(try phone.dump().count == 3)
  }

  @Test func `a damaged copy of a peer's file is replaced by the intact one`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    try phone.insertTag(1)
    _ = try await sync.synchronize(phone.directory, laptop.directory)
    try phone.insertTag(2)
    // The next file arrives cut short before the devices meet again.
    var options = SyncOptions()
    options.storeID = DeviceSyncTests.place.familyID
    _ = try await SyncEngine(
      store: phone.opened(), folder: phone.directory.exchange(at: DeviceSyncTests.place), options: options
    ).export()
    let path = try #require(try phone.files().last { $0.hasSuffix(".tcs") })
    let source = phone.directory.exchange(at: DeviceSyncTests.place).appending(path: path)
    let target = laptop.directory.exchange(at: DeviceSyncTests.place).appending(path: path)
    try Data(contentsOf: source).prefix(90).write(to: target)
    let report = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(report.stores.first?.failure == nil)
    #expect(try phone.dump() == laptop.dump())
  }

  @Test func `two synchronisations at once do not harm`() async throws {
    let devices = [try Device(), try Device(), try Device()]
    for (number, device) in devices.enumerated() { try device.insertTag(UInt64(number) + 1) }
    let directories = devices.map(\.directory)
    let pairs = [(0, 1), (1, 2), (2, 0), (1, 0)].map { (directories[$0.0], directories[$0.1]) }
    try await withThrowingTaskGroup(of: DeviceReport.self) { group in
      for (left, right) in pairs {
        let sync = self.sync
        group.addTask { try await sync.synchronize(left, right) }
      }
      for try await report in group { #expect(report.stores.allSatisfy { $0.failure == nil }) }
    }
    for pair in [(0, 1), (1, 2), (0, 1)] {
      _ = try await sync.synchronize(directories[pair.0], directories[pair.1])
    }
    #expect(try devices[0].dump() == devices[1].dump())
    #expect(try devices[0].dump() == devices[2].dump())
    #expect(try devices[0].dump().count == 3)
  }

  @Test func `a locked directory is busy after the timeout`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let lock = try DirectoryLock(phone.directory.url, timeoutSeconds: 1)
    var options = DeviceSync.Options()
    options.timeoutSeconds = 0.05
    let error = await #expect(throws: SyncError.self) {
      try await DeviceSync(options: options).synchronize(phone.directory, laptop.directory)
    }
    #expect(error?.code == .busy)
    withExtendedLifetime(lock) {}
  }

  @Test func `a directory that is not there, a file, and one directory twice are one sentence each`() async throws {
    let root = try TemporaryFolder()
    let missing = #expect(throws: SyncError.self) { try DeviceDirectory(root.url.appending(path: "none")) }
    #expect(missing?.code == .unknownDevice)
    let file = root.url.appending(path: "file")
    try Data().write(to: file)
    #expect(#expect(throws: SyncError.self) { try DeviceDirectory(file) }?.code == .notADirectory)
    let device = try DeviceDirectory(root.url)
    let same = try DeviceDirectory(root.url.appending(path: "../\(root.url.lastPathComponent)"))
    let error = await #expect(throws: SyncError.self) { try await sync.synchronize(device, same) }
    #expect(error?.code == .sameDirectory)
  }

  /// The phone as it was before it saved tag 2 and synchronised, beside the laptop that knows tag 2.
  private func restoredPhone(_ laptop: Device) async throws -> Device {
    let (phone, backup) = (try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    _ = try await sync.synchronize(phone.directory, laptop.directory)
    for entry in try FileManager.default.contentsOfDirectory(atPath: phone.root.url.path) {
      try FileManager.default.copyItem(
        at: phone.root.url.appending(path: entry), to: backup.root.url.appending(path: entry))
    }
    try phone.insertTag(2)
    _ = try await sync.synchronize(phone.directory, laptop.directory)
    return backup
  }

  @Test func `a device restored from a backup gets back what it had written since`() async throws {
    let laptop = try Device(hasStore: false)
    let phone = try await restoredPhone(laptop)
    let report = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(report.stores.map(\.failure) == [nil])
    #expect(try phone.dump() == laptop.dump())
    #expect(try phone.dump().count == 2)
    try phone.insertTag(3)
    _ = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(try laptop.dump().count == 3)
    #expect(try phone.dump() == laptop.dump())
  }

  @Test func `a restored device that saved before it synchronised loses nothing of either life`() async throws {
    let laptop = try Device(hasStore: false)
    let phone = try await restoredPhone(laptop)
    try phone.insertTag(3)
    let report = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(report.stores.map(\.failure) == [nil])
    _ = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(try phone.dump() == laptop.dump())
    #expect(try laptop.dump().count == 3)
    try expectSound(laptop.opened())
    #expect(try await sync.synchronize(phone.directory, laptop.directory).isUnchanged)
  }

  /// A device and a copy of its directory, made after it had exchanged a first tag.
  private func copiedPhone() async throws -> (phone: Device, copy: Device) {
    let (phone, copy, laptop) = (try Device(), try Device(hasStore: false), try Device(hasStore: false))
    try phone.insertTag(1)
    _ = try await sync.synchronize(phone.directory, laptop.directory)
    for entry in try FileManager.default.contentsOfDirectory(atPath: phone.root.url.path) {
      try FileManager.default.copyItem(
        at: phone.root.url.appending(path: entry), to: copy.root.url.appending(path: entry))
    }
    return (phone, copy)
  }

  @Test(arguments: [false, true])
  func `a copied device takes a replica id of its own at its first meeting`(originalWroteSince: Bool) async throws {
    let (phone, copy) = try await copiedPhone()
    if originalWroteSince { try phone.insertTag(4) }
    let report = try await sync.synchronize(phone.directory, copy.directory)
    #expect(report.stores.map(\.failure) == [nil])
    #expect(report.stores.first?.devices.values.flatMap(\.warnings).contains { $0.contains("was copied") } == true)
    try phone.insertTag(2)
    try copy.insertTag(3)
    _ = try await sync.synchronize(phone.directory, copy.directory)
    #expect(try phone.dump() == copy.dump())
    #expect(try phone.dump().count == (originalWroteSince ? 4 : 3))
    #expect(try await sync.synchronize(phone.directory, copy.directory).isUnchanged)
  }

  @Test func `two copies that both wrote lose nothing, and go on under ids of their own`() async throws {
    let (phone, copy) = try await copiedPhone()
    try phone.insertTag(2)
    try copy.insertTag(3)
    let report = try await sync.synchronize(phone.directory, copy.directory)
    #expect(report.stores.map(\.failure) == [nil])
    _ = try await sync.synchronize(phone.directory, copy.directory)
    for device in [phone, copy] {
      let store = try device.opened()
      for tag in 1...3 { #expect(try store.isVisible("Tag", fixtureID(UInt64(tag)))) }
      try expectSound(store)
    }
    #expect(try phone.dump() == copy.dump())
    #expect(try phone.opened().read { try $0.replica } != copy.opened().read { try $0.replica })
    #expect(try await sync.synchronize(phone.directory, copy.directory).isUnchanged)
  }

  @Test func `files whose marker has not arrived are not taken for nothing`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    let root = try TemporaryFolder()
    let folder = try DeviceDirectory(root.url)
    try phone.insertTag(1)
    _ = try await sync.synchronize(phone.directory, folder: folder)
    let place = DeviceSyncTests.place
    let exchange = ExchangeFolder(root: folder.exchange(at: place), storeID: place.familyID)
    try FileManager.default.removeItem(at: exchange.marker)
    let report = try await sync.synchronize(laptop.directory, folder: folder)
    #expect(report.stores.first?.failure?.contains("wait until the folder is complete") == true)
    #expect(try DurableFile.names(in: laptop.root.url).isEmpty)
  }

  @Test func `a folder inside the device, or around it, is refused`() async throws {
    let phone = try Device()
    let inside = phone.root.url.appending(path: "shared")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: false)
    let folder = try DeviceDirectory(inside)
    let error = await #expect(throws: SyncError.self) { try await sync.synchronize(phone.directory, folder: folder) }
    #expect(error?.message.contains("lies inside") == true)
    let other = await #expect(throws: SyncError.self) { try await sync.synchronize(folder, folder: phone.directory) }
    #expect(other?.message.contains("lies inside") == true)
  }

  @Test func `two empty devices have nothing to do`() async throws {
    let (phone, laptop) = (try Device(hasStore: false), try Device(hasStore: false))
    let report = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(report.isUnchanged)
    #expect(report.stores.isEmpty)
  }
}
