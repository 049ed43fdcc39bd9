import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// When devices may call themselves equal: when there is nothing to do, and nobody is known to have more.
struct DeviceEqualityTests {
  private typealias Device = DeviceSyncTests.Device
  private static let place = DeviceSyncTests.place

  private var sync: DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    return DeviceSync(options: options)
  }

  private func exchange(_ directory: DeviceDirectory) -> ExchangeFolder {
    ExchangeFolder(root: directory.exchange(at: Self.place), storeID: Self.place.familyID)
  }

  private func replica(_ device: Device) throws -> ReplicaID { try device.opened().read { try $0.replica } }

  /// "Nothing to do: the sides are equal" was said although a head told of transactions that no file had.
  @Test func `a device that knows of transactions that no file has is not equal, and names them`() async throws {
    let (phone, laptop, root) = (try Device(), try Device(hasStore: false), try TemporaryFolder())
    let folder = try DeviceDirectory(root.url)
    try phone.insertTag(1)
    _ = try await sync.synchronize(phone.directory, folder: folder)
    #expect(try await sync.synchronize(laptop.directory, folder: folder).isComplete)
    try phone.insertTag(2)
    _ = try await sync.synchronize(phone.directory, folder: folder)
    // The head has arrived, the change set has not.
    let owner = try replica(phone)
    let file = try #require(try exchange(folder).listing(of: owner).files.last?.url)
    let bytes = try Data(contentsOf: file)
    try FileManager.default.removeItem(at: file)
    for _ in 0..<2 {
      let report = try await sync.synchronize(laptop.directory, folder: folder)
      #expect(!report.isComplete)
      let missing = report.stores.flatMap { $0.devices.values.flatMap(\.missing) }
      #expect(missing.count == 1 && missing[0].contains("transaction 2 of replica \(owner)"), "\(missing)")
    }
    try bytes.write(to: file)
    #expect(try await sync.synchronize(laptop.directory, folder: folder).isComplete)
    let last = try await sync.synchronize(laptop.directory, folder: folder)
    #expect(last.isUnchanged && last.isComplete)
    #expect(try laptop.dump() == phone.dump())
  }

  @Test(arguments: ["manifest.tsm", "0000000000000000.tsc"])
  func `a new device that finds a damaged snapshot in the place of files says what it lacks`(
    damaged: String
  ) async throws {
    let (phone, laptop, root) = (try Device(), try Device(hasStore: false), try TemporaryFolder())
    let folder = try DeviceDirectory(root.url)
    try phone.insertTag(1)
    _ = try await sync.synchronize(phone.directory, folder: folder)
    var options = SyncOptions()
    options.storeID = Self.place.familyID
    let engine = SyncEngine(store: try phone.opened(), folder: folder.exchange(at: Self.place), options: options)
    _ = try await engine.writeSnapshot()
    try phone.insertTag(2)
    _ = try await engine.export()
    // What the snapshot has replaced goes, and the snapshot is damaged.
    let owner = try replica(phone)
    try FileManager.default.removeItem(at: exchange(folder).listing(of: owner).files[0].url)
    let snapshot = try #require(try exchange(folder).intactSnapshots(of: owner).first)
    let chunk = snapshot.folder.appending(path: damaged)
    let intact = try Data(contentsOf: chunk)
    try intact.dropLast().write(to: chunk)
    for _ in 0..<2 {
      let report = try await sync.synchronize(laptop.directory, folder: folder)
      #expect(!report.isComplete)
      let missing = report.stores.flatMap { $0.devices.values.flatMap(\.missing) }
      #expect(missing.contains { $0.contains("\(owner)") }, "\(report)")
      let trouble = report.stores.flatMap { $0.devices.values.flatMap(\.waiting) + $0.refused.map(\.reason) }
      #expect(trouble.contains { $0.contains(snapshot.name.text) }, "\(trouble)")
    }
    try intact.write(to: chunk)
    #expect(try await sync.synchronize(laptop.directory, folder: folder).isComplete)
    #expect(try laptop.dump() == phone.dump())
  }

  @Test func `devices that were made equal are complete in the same run and in the next`() async throws {
    let (phone, laptop, tablet) = (try Device(), try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    try laptop.insertTag(2)
    for (left, right) in [(phone, laptop), (laptop, tablet), (tablet, phone), (phone, laptop), (laptop, tablet)] {
      let report = try await sync.synchronize(left.directory, right.directory)
      #expect(report.isComplete, "\(report)")
    }
  }

  /// Every synchronisation published the old stream's first transaction again, which the original has exported in a
  /// larger file, and another step removed it.
  @Test(arguments: [false, true], [false, true])
  func `a restored copy of a directory whose first save was not exported then comes to rest`(
    hasFolder: Bool, savesFirst: Bool
  ) async throws {
    let (phone, copy, laptop) = (try Device(), try Device(hasStore: false), try Device(hasStore: false))
    try phone.insertTag(1)
    for entry in try FileManager.default.contentsOfDirectory(atPath: phone.root.url.path) {
      try FileManager.default.copyItem(
        at: phone.root.url.appending(path: entry), to: copy.root.url.appending(path: entry))
    }
    let root = try TemporaryFolder()
    func synchronize() async throws -> DeviceReport {
      hasFolder
        ? try await sync.synchronize(copy.directory, folder: DeviceDirectory(root.url))
        : try await sync.synchronize(copy.directory, laptop.directory)
    }
    // The original goes on, exports both saves at once, and is lost.
    try phone.insertTag(3)
    _ =
      hasFolder
      ? try await sync.synchronize(phone.directory, folder: DeviceDirectory(root.url))
      : try await sync.synchronize(phone.directory, laptop.directory)
    if savesFirst { try copy.insertTag(2) }
    _ = try await synchronize()
    if !savesFirst { try copy.insertTag(2) }
    for _ in 0..<2 { _ = try await synchronize() }
    let report = try await synchronize()
    #expect(report.isUnchanged && report.isComplete, "\(report)")
    if !hasFolder { #expect(try laptop.dump() == copy.dump()) }
    #expect(try copy.dump().count == 3)
  }
}
