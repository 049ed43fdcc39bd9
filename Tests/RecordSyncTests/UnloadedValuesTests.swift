import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Keys that are replaced while large values lie in the folder alone.
///
/// The next synchronisation removed the files of the former key, and with them values that this device had never
/// loaded.
struct UnloadedValuesTests {
  private typealias Device = LargeValueDeviceTests.Device

  private func sync(_ device: Device, _ folder: DeviceDirectory, _ values: SyncOptions.LargeValues) async throws {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    options.largeValues = values
    let report = try await DeviceSync(options: options).synchronize(device.directory, folder: folder)
    #expect(report.isComplete, "\(report)")
  }

  @Test func `a key is not replaced while large values would be lost with it`() async throws {
    let place = LargeValueDeviceTests.place
    let (phone, laptop, root) = (try Device(), try Device(hasStore: false), try TemporaryFolder())
    let folder = try DeviceDirectory(root.url)
    var file = KeyFile(family: place.familyID)
    file.key = FamilyKey()
    for device in [phone, laptop] { try file.write(to: device.directory.keyFile(at: place)) }
    let store = laptop.directory.store(at: place)
    // There is no store yet, and nothing to lose.
    var fresh = file
    try fresh.rotate(ofStoreAt: store)
    #expect(fresh.key != file.key)

    let image = SeededGenerator.bytes(300_000, 91)
    try phone.insert(1, image)
    try await sync(phone, folder, .all)
    try await sync(laptop, folder, .onDemand)
    var refused = file
    let error = #expect(throws: SyncError.self) { try refused.rotate(ofStoreAt: store) }
    #expect(error?.code == .missingValue && error?.message.contains("1 large value of 300000 bytes") == true)
    #expect(refused == file)
    try refused.rotate(ofStoreAt: store, acceptingLoss: true)
    #expect(refused.key != file.key)

    // The same of a family that was founded here.
    let shared = SharedStore(at: store)
    try shared.found(named: "Ann")
    _ = try shared.invite("Bob", as: .reader)
    let family = try shared.family()
    let other = #expect(throws: SyncError.self) { try shared.remove("Bob") }
    #expect(try other?.code == .missingValue && shared.family() == family)
    _ = try shared.leave()

    try await sync(laptop, folder, .all)
    #expect(try laptop.has(image))
    try file.rotate(ofStoreAt: store)
    try file.write(to: laptop.directory.keyFile(at: place))
    try await sync(laptop, folder, .all)
    let seen = place.exchangeFolder(in: root.url, key: file.key)
    #expect(try ValueNames(in: seen).owners(of: ValueSlice(#require(ExternalReference(of: image)))).count == 1)
    #expect(try seen.formerFolders().isEmpty)
  }
}
