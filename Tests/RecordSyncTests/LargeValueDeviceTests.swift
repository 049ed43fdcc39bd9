import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// Large values between device directories, with a folder or a transport between them.
struct LargeValueDeviceTests {
  static let place = DeviceSyncTests.place

  /// A device directory with or without a store of photos.
  final class Device {
    let root: TemporaryFolder
    let directory: DeviceDirectory
    private var store: RecordStore?

    init(hasStore: Bool = true, schema: StoreSchema = LargeValueTests.Album.schema) throws {
      root = try TemporaryFolder()
      directory = try DeviceDirectory(root.url)
      guard hasStore else { return }
      let url = directory.store(at: LargeValueDeviceTests.place)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      store = try RecordStore.open(
        StoreConfiguration(url: url, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20), schema: schema)
    }

    func opened() throws -> RecordStore {
      if let store { return store }
      let made = try RecordStore.open(
        StoreConfiguration(
          url: directory.store(at: LargeValueDeviceTests.place), createsIfMissing: false, durability: .unsafeNoFlush,
          mapSizeBytes: 256 << 20))
      store = made
      return made
    }

    func insert(_ number: UInt64, _ image: Data) throws {
      let store = try opened()
      try store.save(
        FixtureNames(store).insert("Photo", fixtureID(number), ["name": .string("\(number)"), "image": .data(image)]))
    }

    func has(_ image: Data) throws -> Bool {
      let reference = try #require(ExternalReference(of: image))
      return try #require(opened().externalFolder).has(reference)
    }

    func image(_ number: UInt64) throws -> FieldValue? { try opened().value("Photo", fixtureID(number), "image") }
    var dump: [String] { get throws { try CanonicalDump.lines(of: opened()) } }
  }

  private var sync: DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    return DeviceSync(options: options)
  }

  private func hand(_ key: FamilyKey, to devices: Device...) throws {
    for device in devices {
      var file = KeyFile(family: Self.place.familyID)
      file.key = key
      try file.write(to: device.directory.keyFile(at: Self.place))
    }
  }

  private func valueFiles(below folder: URL) throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".tlv") }.map { folder.appending(path: $0) }
  }

  private func expectEqual(_ devices: Device...) throws {
    for device in devices {
      #expect(try device.dump == devices[0].dump)
      try expectSound(device.opened())
    }
  }

  @Test func `two devices give each other large values from store to store`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    let image = SeededGenerator.bytes(300_000, 1)
    try phone.insert(1, image)
    let report = try await sync.synchronize(phone.directory, laptop.directory)
    #expect(report.isComplete && report.stores[0].devices[laptop.directory.url.path]?.valuesReceived == 1, "\(report)")
    #expect(try laptop.has(image) && laptop.image(1) == .data(image))
    #expect(try valueFiles(below: phone.directory.exchange(at: Self.place)).isEmpty)
    try expectEqual(phone, laptop)
    #expect(try await sync.synchronize(phone.directory, laptop.directory).isUnchanged)
  }

  @Test(arguments: [false, true])
  func `devices with a folder between them put each value there once`(isSealed: Bool) async throws {
    let (phone, laptop, shared) = (try Device(), try Device(), try TemporaryFolder())
    if isSealed { try hand(FamilyKey(), to: phone, laptop) }
    let (image, other) = (SeededGenerator.bytes(300_000, 2), SeededGenerator.bytes(150_000, 3))
    try phone.insert(1, image)
    try laptop.insert(2, image)
    try laptop.insert(3, other)
    let folder = try DeviceDirectory(shared.url)
    for device in [phone, laptop, phone] {
      let report = try await sync.synchronize(device.directory, folder: folder)
      #expect(report.isComplete, "\(report)")
    }
    #expect(try phone.has(other) && laptop.has(image))
    let files = try valueFiles(below: shared.url)
    #expect(files.count == 2)
    #expect(try files.contains { try Data(contentsOf: $0) == image } != isSealed)
    try expectEqual(phone, laptop)
    #expect(try await sync.synchronize(laptop.directory, folder: folder).isComplete)
    #expect(try await sync.synchronize(phone.directory, folder: folder).isUnchanged)
  }

  @Test func `a device that has a value from one folder takes it to another one`() async throws {
    let (phone, laptop, tablet) = (try Device(), try Device(hasStore: false), try Device(hasStore: false))
    let shared = try (TemporaryFolder(), TemporaryFolder())
    let folders = try (DeviceDirectory(shared.0.url), DeviceDirectory(shared.1.url))
    let image = SeededGenerator.bytes(300_000, 4)
    try phone.insert(1, image)
    for (device, folder) in [(phone, folders.0), (laptop, folders.0), (laptop, folders.1), (tablet, folders.1)] {
      let report = try await sync.synchronize(device.directory, folder: folder)
      #expect(report.isComplete, "\(report)")
    }
    #expect(try tablet.has(image))
    try expectEqual(phone, laptop, tablet)
  }

  @Test(arguments: [false, true])
  func `a transport brings large values after the records that name them`(isSealed: Bool) async throws {
    let (phone, laptop, fresh) = (try Device(), try Device(), try Device(hasStore: false))
    if isSealed { try hand(FamilyKey(), to: phone, laptop, fresh) }
    let root = try TemporaryFolder()
    let folder = root.url.appending(path: "shelf")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let shelf = TroubledTransport(folder)
    let image = SeededGenerator.bytes(300_000, 5)
    try phone.insert(1, image)
    try laptop.insert(2, image)
    for device in [phone, laptop, fresh, phone] {
      let report = try await sync.synchronize(device.directory, transport: shelf)
      #expect(report.isComplete, "\(report)")
    }
    #expect(try fresh.has(image) && fresh.image(1) == .data(image))
    #expect(try valueFiles(below: folder).count == 1)
    try expectEqual(phone, laptop, fresh)
  }

  @Test func `a value that a transport has in a changed file is named and not fetched again`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let root = try TemporaryFolder()
    let folder = root.url.appending(path: "shelf")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let shelf = TroubledTransport(folder)
    let image = SeededGenerator.bytes(300_000, 6)
    try phone.insert(1, image)
    _ = try await sync.synchronize(phone.directory, transport: shelf)
    let file = try #require(try valueFiles(below: folder).first)
    var bytes = try Data(contentsOf: file)
    bytes[1_000] ^= 1
    try bytes.write(to: file)
    for isFirst in [true, false] {
      let report = try await sync.synchronize(laptop.directory, transport: shelf)
      #expect(!report.isComplete && report.stores[0].devices.values.contains { $0.awaited.count == 1 }, "\(report)")
      #expect(report.stores[0].devices.values.contains { $0.refused.count == 1 } == isFirst)
    }
    #expect(try !laptop.has(image))
  }

  @Test(arguments: [false, true])
  func `of many large values those stay that a transport has moved before it fails`(isSealed: Bool) async throws {
    let (phone, laptop) = (try Device(), try Device())
    if isSealed { try hand(FamilyKey(), to: phone, laptop) }
    let root = try TemporaryFolder()
    let folder = root.url.appending(path: "shelf")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let shelf = TroubledTransport(folder)
    // Together they are more than one call moves.
    let images = (0..<5).map { Data(repeating: UInt8($0 + 7 + (isSealed ? 5 : 0)), count: 15 << 20) }
    for (number, image) in images.enumerated() { try phone.insert(UInt64(number + 1), image) }
    let first = Mutex<String?>(nil)
    let isValue: @Sendable (String) -> Bool = { $0.hasSuffix(".tlv") }
    // The first value that is moved is let through, and no other.
    let refused: @Sendable (String) -> Bool = { path in
      isValue(path)
        && first.withLock { first in
          first = first ?? path
          return first != path
        }
    }
    shelf.trouble.withLock { $0.refused = refused }
    var report = try await sync.synchronize(phone.directory, transport: shelf)
    #expect(!report.isComplete && shelf.calls == ["list", "put", "put", "put"], "the marker, and each value")
    #expect(try await shelf.files.filter(isValue) == [first.withLock { $0 }])
    let others = try await shelf.files.filter { !isValue($0) }
    #expect(others.allSatisfy { $0.hasSuffix("/STORE") }, "nothing names a value that is not there: \(others)")
    shelf.trouble.withLock { $0.refused = { [name = first.withLock { $0 }] in $0 == name } }
    report = try await sync.synchronize(phone.directory, transport: shelf)
    #expect(report.isComplete && shelf.calls == ["list", "get", "put"], "\(report)")
    #expect(try await shelf.files.filter(isValue).count == images.count)

    // The other way.
    first.withLock { $0 = nil }
    shelf.trouble.withLock { $0.refused = refused }
    report = try await sync.synchronize(laptop.directory, transport: shelf)
    #expect(!report.isComplete && shelf.calls.prefix(4) == ["list", "get", "get", "get"])
    #expect(try images.filter { try laptop.has($0) }.count == 1)
    shelf.trouble.withLock { $0.refused = { [name = first.withLock { $0 }] in $0 == name } }
    report = try await sync.synchronize(laptop.directory, transport: shelf)
    #expect(report.isComplete, "\(report)")
    #expect(try images.allSatisfy { try laptop.has($0) })
    shelf.trouble.withLock { $0.refused = { _ in false } }
    for device in [phone, laptop] { _ = try await sync.synchronize(device.directory, transport: shelf) }
    try expectEqual(phone, laptop)
    let staged = [phone, laptop].map { $0.directory.url.appending(path: ".transport").path }
    #expect(staged.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
  }

  @Test func `a value that the place does not take keeps neither the others nor the records away`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let root = try TemporaryFolder()
    let folder = root.url.appending(path: "shelf")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let shelf = TroubledTransport(folder)
    let images = (0..<3).map { Data(repeating: UInt8($0 + 60), count: 40 << 20) }
    for (number, image) in images.enumerated() { try phone.insert(UInt64(number + 1), image) }
    let names = try images.map { try #require(ExternalReference(of: $0)).name }
    let least = try #require(names.min())
    // A place that takes none is asked twice.
    shelf.trouble.withLock { $0.refused = { $0.hasSuffix(".tlp") } }
    #expect(try await !sync.synchronize(phone.directory, transport: shelf).isComplete)
    #expect(shelf.calls == ["list", "put", "put", "put"], "the marker, and two values")
    shelf.trouble.withLock { $0.refused = { $0.contains(least) } }
    for device in [phone, laptop] {
      let report = try await sync.synchronize(device.directory, transport: shelf)
      #expect(!report.isComplete, "\(report)")
    }
    #expect(try phone.dump == laptop.dump)
    for (image, name) in zip(images, names) { #expect(try laptop.has(image) == (name != least)) }
    shelf.trouble.withLock { $0.refused = { _ in false } }
    for device in [phone, laptop, phone] { _ = try await sync.synchronize(device.directory, transport: shelf) }
    #expect(try images.allSatisfy { try laptop.has($0) })
    try expectEqual(phone, laptop)
  }
}
