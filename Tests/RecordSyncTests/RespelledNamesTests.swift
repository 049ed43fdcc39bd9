import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Services and file systems that do not keep the case of letters in names.
struct RespelledNamesTests {
  private var sync: DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    return DeviceSync(options: options)
  }

  private func engine(_ replica: TestReplica, _ folder: URL) -> SyncEngine {
    var options = SyncOptions()
    options.storeID = TestReplica.family
    return SyncEngine(store: replica.store, folder: folder, options: options)
  }

  private func insert(_ number: UInt64, on replica: TestReplica) throws {
    try replica.save(replica.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
  }

  /// Nil where the name has no letters: then no case can change.
  private func respell(_ url: URL) throws -> URL? {
    let name = url.lastPathComponent.uppercased()
    guard name != url.lastPathComponent else { return nil }
    let respelled = url.deletingLastPathComponent().appending(path: name)
    try FileManager.default.moveItem(at: url, to: respelled)
    return respelled
  }

  /// The device's saves stayed away from the other one, and no report said why.
  @Test func `a device's folder whose name was changed is named, and read once it has its name again`() async throws {
    let root = try TemporaryFolder()
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try insert(1, on: phone)
    _ = try await engine(phone, root.url).sync()
    let folder = ExchangeFolder(root: root.url, storeID: TestReplica.family).folder(of: try phone.id)
    guard let respelled = try respell(folder) else { return }
    let report = try await engine(laptop, root.url).sync()
    #expect(report.refused.map(\.file) == [respelled.path])
    #expect(report.refused.first?.reason.contains("rename it to \(folder.lastPathComponent)") == true, "\(report)")
    #expect(try laptop.dump.isEmpty)
    try FileManager.default.moveItem(at: respelled, to: folder)
    #expect(try await engine(laptop, root.url).sync().refused.isEmpty)
    #expect(try laptop.dump == phone.dump)
  }

  @Test func `a device names a folder whose name was changed in the place where it lies`() async throws {
    let root = try TemporaryFolder()
    let place = DeviceSyncTests.place
    let (phone, laptop) = (try DeviceSyncTests.Device(), try DeviceSyncTests.Device(hasStore: false))
    let folder = try DeviceDirectory(root.url)
    try phone.insertTag(1)
    #expect(try await sync.synchronize(phone.directory, folder: folder).stores.allSatisfy { $0.failure == nil })
    let family = try #require(try ExchangeFolder.all(in: root.url).first)
    let replica = try #require(try family.knownReplicas().first)
    guard let respelled = try respell(family.folder(of: replica)) else { return }
    try phone.insertTag(2)
    let report = try await sync.synchronize(phone.directory, folder: folder)
    #expect(report.stores.first { $0.place == place }?.refused.map(\.file) == [respelled.path], "\(report)")
    // The phone has written its files once more, so nothing is missing.
    #expect(try await sync.synchronize(laptop.directory, folder: folder).stores.allSatisfy { $0.failure == nil })
    #expect(try laptop.dump() == phone.dump())
  }

  /// A new device heard that there was nothing to do, and one that knew the folder, that it was unmounted.
  @Test(arguments: [false, true]) func `folders around those of the devices are named as well`(
    isSealed: Bool
  ) async throws {
    let root = try TemporaryFolder()
    let (place, folder) = (DeviceSyncTests.place, try DeviceDirectory(root.url))
    let (phone, laptop) = (try DeviceSyncTests.Device(), try DeviceSyncTests.Device(hasStore: false))
    var file = KeyFile(family: place.familyID)
    file.key = isSealed ? FamilyKey() : nil
    for device in [phone, laptop] where isSealed { try file.write(to: device.directory.keyFile(at: place)) }
    try phone.insertTag(1)
    #expect(try await sync.synchronize(phone.directory, folder: folder).isComplete)
    let family = place.exchangeFolder(in: folder.url, key: file.key)
    for proper in Set([family.url, family.replicas.deletingLastPathComponent(), family.replicas]) {
      guard let respelled = try respell(proper) else { continue }
      for device in [laptop, phone] {
        let told = try await troubles(of: device, folder)
        let sentence = try #require(told.first { $0.hasPrefix("\(respelled.path): ") }, "\(told)")
        #expect(sentence.contains("rename it to \(proper.lastPathComponent)"))
      }
      // The phone may have written its files once more.
      if FileManager.default.fileExists(atPath: proper.path) { try FileManager.default.removeItem(at: proper) }
      try FileManager.default.moveItem(at: respelled, to: proper)
    }
    #expect(try await sync.synchronize(laptop.directory, folder: folder).isComplete)
    #expect(try laptop.dump() == phone.dump())
  }

  private func troubles(of device: DeviceSyncTests.Device, _ folder: DeviceDirectory) async throws -> [String] {
    do {
      let store = try #require(try await sync.synchronize(device.directory, folder: folder).stores.first)
      return store.refused.map { "\($0.file): \($0.reason)" } + [store.failure].compactMap(\.self)
    } catch let error as SyncError {
      return [error.message]
    }
  }

  @Test func `a change set whose name is in capitals is read`() async throws {
    let root = try TemporaryFolder()
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try insert(1, on: phone)
    _ = try await engine(phone, root.url).sync()
    let exchange = ExchangeFolder(root: root.url, storeID: TestReplica.family)
    let file = try #require(try exchange.listing(of: phone.id).files.first)
    _ = try #require(try respell(file.url))
    #expect(try await engine(laptop, root.url).sync().refused.isEmpty)
    #expect(try laptop.dump == phone.dump)
  }
}
