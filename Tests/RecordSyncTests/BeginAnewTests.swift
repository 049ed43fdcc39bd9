import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// A folder that was emptied holds again all that a device knows. There was no way on but another folder, and what a
/// device had of others was not in that one.
struct BeginAnewTests {
  private typealias Device = DeviceSyncTests.Device
  private static let place = DeviceSyncTests.place

  private var sync: DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    return DeviceSync(options: options)
  }

  private func empty(_ folder: URL) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
  }

  /// Devices that met through a folder, each with a tag of its own, and then each with one that nobody has seen.
  private func withDevices(
    _ body: (_ devices: [Device], _ folder: DeviceDirectory) async throws -> Void
  ) async throws {
    let (devices, root) = (try (0..<3).map { _ in try Device() }, try TemporaryFolder())
    let folder = try DeviceDirectory(root.url)
    for (number, device) in devices.enumerated() { try device.insertTag(UInt64(number + 1)) }
    for device in devices + devices { try await settle(device, folder) }
    for (number, device) in devices.enumerated() { try device.insertTag(UInt64(number + 11)) }
    try await body(devices, folder)
    for device in devices { try expectSound(device.opened()) }
  }

  private func settle(_ device: Device, _ folder: DeviceDirectory, beginningAnew: Bool = false) async throws {
    let report = try await sync.synchronize(device.directory, folder: folder, beginningAnew: beginningAnew)
    #expect(report.stores.map(\.failure) == [nil])
  }

  private func expectEqual(_ devices: [Device], tags: Int) throws {
    for device in devices {
      #expect(try device.dump() == devices[0].dump())
      #expect(try device.dump().count == tags, "nothing is lost, and nothing doubled")
    }
  }

  @Test func `the folder is refused until it is begun anew, and then new and old devices become equal`() async throws {
    try await withDevices { devices, folder in
      try empty(folder.url)
      let refused = try await sync.synchronize(devices[0].directory, folder: folder)
      #expect(refused.stores.first?.failure?.contains("--begin-anew") == true, "\(refused)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
      let plan = try await sync.plan(devices[0].directory, folder: folder, beginningAnew: true)
      #expect(plan.stores.map(\.isBegunAnew) == [true])
      try await settle(devices[0], folder, beginningAnew: true)
      let fresh = try Device(hasStore: false)
      try await settle(fresh, folder)
      #expect(try fresh.dump() == devices[0].dump())
      #expect(try fresh.dump().count == 4)
      for _ in 0..<2 { for device in devices + [fresh] { try await settle(device, folder) } }
      try expectEqual(devices + [fresh], tags: 6)
      let again = try await sync.synchronize(fresh.directory, folder: folder)
      #expect(again.isUnchanged && again.isComplete, "\(again)")
    }
  }

  @Test(arguments: [1, 2, 3]) func `devices that begin anew at once, or of which only one does, become equal`(
    count: Int
  ) async throws {
    try await withDevices { devices, folder in
      try empty(folder.url)
      // Each in a copy of its own that a tool has not joined yet: as if all had done it at one time.
      for device in devices.prefix(count) {
        let root = try TemporaryFolder()
        let apart = try DeviceDirectory(root.url)
        try await settle(device, apart, beginningAnew: true)
        try merge(root.url, into: folder.url)
      }
      for _ in 0..<2 { for device in devices { try await settle(device, folder) } }
      try expectEqual(devices, tags: 6)
    }
  }

  /// As a tool does that moves files: what is there under a name stays.
  private func merge(_ source: URL, into target: URL) throws {
    for path in try FileManager.default.subpathsOfDirectory(atPath: source.path).sorted() {
      let (from, to) = (source.appending(path: path), target.appending(path: path))
      guard !FileManager.default.fileExists(atPath: to.path) else { continue }
      try FileManager.default.createDirectory(at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
      if try DurableFile.item(at: from) != .directory { try FileManager.default.copyItem(at: from, to: to) }
    }
  }

  @Test func `old files that come back into a folder that was begun anew change nothing`() async throws {
    try await withDevices { devices, folder in
      let kept = try TemporaryFolder()
      try merge(folder.url, into: kept.url)
      try empty(folder.url)
      try await settle(devices[0], folder, beginningAnew: true)
      try merge(kept.url, into: folder.url)
      for _ in 0..<2 { for device in devices { try await settle(device, folder) } }
      try expectEqual(devices, tags: 6)
    }
  }

  /// The copy is what others' change sets are taken from; without it only the store knows them.
  @Test func `a device that has lost its own copy, too, brings what it knows of others in a snapshot`() async throws {
    try await withDevices { devices, folder in
      try empty(folder.url)
      try FileManager.default.removeItem(at: devices[0].directory.exchange(at: Self.place))
      try await settle(devices[0], folder, beginningAnew: true)
      let fresh = try Device(hasStore: false)
      let plan = try await sync.plan(fresh.directory, folder: folder)
      #expect(plan.stores.first?.devices.values.map(\.joinsSnapshot) == [true])
      try await settle(fresh, folder)
      #expect(try fresh.dump() == devices[0].dump())
      #expect(try fresh.dump().count == 4)
      let again = try await sync.synchronize(fresh.directory, folder: folder)
      #expect(again.isComplete, "\(again)")
    }
  }

  @Test func `a beginning that is killed at any point is refused or goes on, and lacks nothing in the end`()
    async throws
  {
    try await withDevices { devices, folder in
      let phone = devices[0]
      var (point, isKilled) = (0, true)
      while isKilled {
        try empty(folder.url)
        try FileManager.default.removeItem(at: phone.directory.exchange(at: Self.place))
        isKilled = try await isStopped(at: point) {
          _ = try await sync.synchronize(phone.directory, folder: folder, beginningAnew: true)
        }
        let next = try await sync.synchronize(phone.directory, folder: folder)
        if next.stores.first?.failure != nil {
          #expect(isKilled)
          try await settle(phone, folder, beginningAnew: true)
        }
        let fresh = try Device(hasStore: false)
        try await settle(fresh, folder)
        #expect(try fresh.dump() == phone.dump(), "killed at point \(point)")
        point += 3
      }
      #expect(point > 30, "it passes many points")
    }
  }

  // MARK: An engine, which has no copy of its own

  private func engineFamily() async throws -> (phone: TestReplica, laptop: TestReplica) {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    try laptop.save(laptop.names.insert("Tag", fixtureID(2), ["name": .string("two")]))
    try await phone.send(to: laptop)
    try await laptop.send(to: phone)
    try phone.save(phone.names.insert("Tag", fixtureID(3), ["name": .string("three")]))
    return (phone, laptop)
  }

  @Test func `an engine begins anew with all that its store knows, also of devices that are gone`() async throws {
    let (phone, laptop) = try await engineFamily()
    _ = try await phone.engine().sync()
    try empty(phone.root)
    let error = await #expect(throws: SyncError.self) { try await phone.engine().sync() }
    #expect(error?.code == .folderMissing && error?.message.contains("beginAnew()") == true)
    let report = try await phone.engine().beginAnew()
    #expect(report.snapshotsWritten == 1)
    let fresh = try TestReplica()
    _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
    #expect(try await fresh.engine().sync().isComplete)
    #expect(try fresh.dump == phone.dump)
    #expect(try fresh.dump.count == 3)
    #expect(try await phone.engine().sync().isUnchanged)
    // The laptop comes back with its old copy.
    for _ in 0..<2 { try await exchange([phone, laptop, fresh]) }
    #expect(try laptop.dump == phone.dump)
    #expect(try fresh.dump == phone.dump)
    #expect(try fresh.dump.count == 3)
    for replica in [phone, laptop, fresh] { try expectSound(replica.store) }
  }

  @Test func `an engine that is killed at any point of a beginning is refused, or the folder lacks nothing`()
    async throws
  {
    let (phone, _) = try await engineFamily()
    _ = try await phone.engine().sync()
    var (point, isKilled) = (0, true)
    while isKilled {
      try empty(phone.root)
      isKilled = try await isStopped(at: point) { _ = try await phone.engine().beginAnew() }
      do {
        _ = try await phone.engine().sync()
      } catch let error as SyncError where error.code == .folderMissing {
        #expect(isKilled)
        _ = try await phone.engine().beginAnew()
      }
      let fresh = try TestReplica()
      _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
      #expect(try await fresh.engine().sync().isComplete, "killed at point \(point)")
      #expect(try fresh.dump == phone.dump, "killed at point \(point)")
      point += 1
    }
    #expect(point > 10, "it passes many points")
  }

  /// It was told for ever that the files were to come, and the only device that could bring them did not know.
  @Test func `what only another device knows of a device that is gone follows with its maintenance`() async throws {
    let (phone, laptop, tablet) = (try TestReplica(), try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    try await phone.send(to: tablet)
    try laptop.save(laptop.names.insert("Tag", fixtureID(2), ["name": .string("two")]))
    try await laptop.send(to: phone)
    _ = try await phone.engine().sync()
    // All is emptied, the laptop is gone, and the tablet, which has nothing of it, begins anew.
    for replica in [phone, tablet] { try empty(replica.root) }
    _ = try await tablet.engine().beginAnew()
    _ = try ExchangeCopy(source: tablet.exchange, target: phone.exchange).run()
    #expect(try await phone.engine().sync().snapshotsWritten == 0)
    _ = try ExchangeCopy(source: phone.exchange, target: tablet.exchange).run()
    let waiting = try await tablet.engine().sync()
    #expect(waiting.missing.count == 1, "\(waiting)")
    phone.clock.advance(byMilliseconds: 2 * 86_400_000)
    #expect(try await phone.engine().sync().snapshotsWritten == 1)
    _ = try ExchangeCopy(source: phone.exchange, target: tablet.exchange).run()
    let report = try await tablet.engine().sync()
    #expect(report.isComplete && report.snapshotsJoined == 1, "\(report)")
    #expect(try tablet.dump == phone.dump)
    #expect(try tablet.dump.count == 2)
    for replica in [phone, tablet] { try expectSound(replica.store) }
    phone.clock.advance(byMilliseconds: 2 * 86_400_000)
    #expect(try await phone.engine().sync().snapshotsWritten == 0, "it is there")
  }
}
