import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Device directories with key files, and a folder between them.
struct SealedDevicesTests {
  private typealias Device = DeviceSyncTests.Device
  private static let place = DeviceSyncTests.place

  private var sync: DeviceSync { sync() }

  private func sync(maximumBytes: Int? = nil) -> DeviceSync {
    var options = DeviceSync.Options()
    options.maximumBytes = maximumBytes
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    return DeviceSync(options: options)
  }

  /// Gives the key to each device.
  private func hand(_ key: FamilyKey?, to devices: Device...) throws {
    for device in devices {
      var file = KeyFile(family: Self.place.familyID)
      file.key = key
      try file.write(to: device.directory.keyFile(at: Self.place))
    }
  }

  private func files(_ folder: DeviceDirectory) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted()
  }

  private func expectEqual(_ devices: [Device], tags: Int) throws {
    for device in devices {
      #expect(try device.dump() == devices[0].dump())
      #expect(try device.dump().count == tags)
    }
  }

  private func settle(_ devices: [Device], _ folder: DeviceDirectory) async throws {
    for device in devices {
      let report = try await sync.synchronize(device.directory, folder: folder)
      #expect(report.isComplete, "\(report)")
    }
  }

  @Test func `devices with the key become equal through a folder that names no group and no store`() async throws {
    let (phone, laptop, fresh) = (try Device(), try Device(), try Device(hasStore: false))
    let root = try TemporaryFolder()
    let folder = try DeviceDirectory(root.url)
    try hand(FamilyKey(), to: phone, laptop)
    try phone.insertTag(1)
    try laptop.insertTag(2)
    try await settle([phone, laptop, phone], folder)
    try expectEqual([phone, laptop], tags: 2)
    let names = try files(folder).joined(separator: "\n")
    for word in [Self.place.group, "example", Self.place.name, "exchange"] { #expect(!names.contains(word), "\(word)") }
    #expect(try await sync.synchronize(phone.directory, folder: folder).isUnchanged)
    #expect(try await sync.plan(phone.directory, folder: folder).isUnchanged)
    // A device that has nothing but the key begins with the folder.
    let key = try KeyFile(at: phone.directory.keyFile(at: Self.place)).key
    try hand(key, to: fresh)
    try await settle([fresh], folder)
    try expectEqual([phone, laptop, fresh], tags: 2)
  }

  @Test func `a device without the key is refused, and writes nothing in clear`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let root = try TemporaryFolder()
    let folder = try DeviceDirectory(root.url)
    try hand(FamilyKey(), to: phone)
    try phone.insertTag(1)
    try laptop.insertTag(2)
    try await settle([phone], folder)
    let before = try files(folder)
    for _ in 0..<2 {
      let report = try await sync.synchronize(laptop.directory, folder: folder)
      #expect(report.stores.first?.failure?.contains("tandem key join") == true, "\(report)")
      let plan = try await sync.plan(laptop.directory, folder: folder)
      #expect(plan.stores.first?.failure?.contains("tandem key join") == true, "\(plan)")
    }
    #expect(try files(folder) == before)
    #expect(try laptop.dump().count == 1)
    // While it waits for the key, too.
    try hand(nil, to: laptop)
    let waiting = try await sync.synchronize(laptop.directory, folder: folder)
    #expect(waiting.stores.first?.failure?.contains("waits for the family's key") == true, "\(waiting)")
    #expect(try files(folder) == before)
  }

  @Test func `a family that gets a key leaves the files in clear where they are, and names them`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let root = try TemporaryFolder()
    let folder = try DeviceDirectory(root.url)
    try phone.insertTag(1)
    try laptop.insertTag(2)
    try await settle([phone, laptop, phone], folder)
    try hand(FamilyKey(), to: phone)
    let key = try KeyFile(at: phone.directory.keyFile(at: Self.place)).key
    try hand(key, to: laptop)
    try laptop.insertTag(3)
    let report = try await sync.synchronize(phone.directory, folder: folder)
    #expect(report.stores[0].refused.contains { $0.reason.contains("not encrypted") }, "\(report)")
    #expect(report.stores[0].failure == nil)
    try FileManager.default.removeItem(at: folder.url.appending(path: Self.place.group))
    try await settle([laptop, phone, laptop], folder)
    try expectEqual([phone, laptop], tags: 3)
  }

  @Test func `a forgotten device is refused after the key was replaced, and the others go on`() async throws {
    let (phone, laptop, lost) = (try Device(), try Device(), try Device())
    let root = try TemporaryFolder()
    let folder = try DeviceDirectory(root.url)
    let key = FamilyKey()
    try hand(key, to: phone, laptop, lost)
    for (number, device) in [phone, laptop, lost].enumerated() { try device.insertTag(UInt64(number + 1)) }
    try await settle([phone, laptop, lost, phone, laptop], folder)
    try hand(key.rotated(), to: phone)
    try await settle([phone], folder)
    #expect(try !files(folder).contains { $0.contains(key.id) })
    try lost.insertTag(9)
    let report = try await sync.synchronize(lost.directory, folder: folder)
    #expect(report.stores.first?.failure?.contains("key was") == true, "\(report)")
    try hand(try KeyFile(at: phone.directory.keyFile(at: Self.place)).key, to: laptop)
    try laptop.insertTag(4)
    try await settle([laptop, phone], folder)
    try expectEqual([phone, laptop], tags: 4)
  }

  @Test func `files of the key that was replaced stay until all that stands for them is written`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let root = try TemporaryFolder()
    let folder = try DeviceDirectory(root.url)
    let key = FamilyKey()
    try hand(key, to: phone, laptop)
    for tag in 1...3 {
      try phone.insertTag(UInt64(tag))
      try await settle([phone], folder)
    }
    try hand(key.rotated(), to: phone)
    var (runs, isPostponed) = (0, true)
    while isPostponed {
      runs += 1
      try #require(runs < 12, "every run comes further")
      let report = try await sync(maximumBytes: 1).synchronize(phone.directory, folder: folder)
      isPostponed = !report.stores[0].postponed.isEmpty
      #expect(try files(folder).contains { $0.contains(key.id) } == isPostponed, "run \(runs): \(report)")
    }
    #expect(runs > 1)
    try hand(try KeyFile(at: phone.directory.keyFile(at: Self.place)).key, to: laptop)
    try await settle([laptop], folder)
    try expectEqual([phone, laptop], tags: 3)
  }

  @Test func `directories meet without a key, as their stores lie there in clear anyway`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    try hand(FamilyKey(), to: phone)
    try phone.insertTag(1)
    let report = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(report.isComplete)
    try expectEqual([phone, laptop], tags: 1)
  }
}
