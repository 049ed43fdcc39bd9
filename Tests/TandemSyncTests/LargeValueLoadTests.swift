import Foundation
import Tandem
import TandemSync
import Testing

@Model final class Drawing {
  var name: String
  @Attribute(.externalStorage) var image: Data?

  init(name: String, image: Data?) {
    self.name = name
    self.image = image
  }
}

/// Large values that an app asks for.
struct LargeValueLoadTests {
  private func container(_ device: String, _ devices: Devices) throws -> ModelContainer {
    let url = devices.store(device)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    return try ModelContainer(for: Drawing.self, configurations: ModelConfiguration(url: url))
  }

  /// Nothing of the author's store is open afterwards: its files would count as here, too.
  private func draw(_ image: Data, _ devices: Devices) async throws {
    let container = try container("phone", devices)
    let context = ModelContext(container)
    context.insert(Drawing(name: "house", image: image))
    try context.save()
    _ = try await SyncEngine(container: container, folder: devices.folder).sync()
  }

  @Test func `an app loads a large value that a synchronisation has left in the folder`() async throws {
    try await Devices.with { devices in
      let image = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
      try await draw(image, devices)
      let container = try container("laptop", devices)
      var options = SyncOptions()
      options.largeValues = .onDemand
      let engine = try SyncEngine(container: container, folder: devices.folder, options: options)
      let report = try await engine.sync()
      #expect(report.transactionsMerged == 1 && report.valuesReceived == 0 && report.isComplete, "\(report)")
      let context = ModelContext(container)
      let drawing = try #require(try context.fetch(FetchDescriptor<Drawing>()).first)
      let value = try #require(try context.externalValue(of: \.image, for: drawing))
      #expect(!value.isAvailable && value.byteCount == image.count && drawing.image == nil)
      try await engine.load(value)
      #expect(value.isAvailable && drawing.image == image)
      #expect(try value.data() == image)
    }
  }

  @Test(arguments: [false, true])
  func `a container that synchronises by itself loads a value when it is asked`(overTransport: Bool) async throws {
    try await Devices.with { devices in
      let image = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 5) })
      try await draw(image, devices)
      let container = try container("laptop", devices)
      let sync: AutomaticSync
      if overTransport {
        var options = DeviceSync.Options()
        options.largeValues = .onDemand
        sync = try AutomaticSync(
          container: container, transport: FolderTransport(devices.folder), options: options)
      } else {
        var options = SyncOptions()
        options.largeValues = .onDemand
        sync = try AutomaticSync(container: container, folder: devices.folder, options: options)
      }
      let report = try await sync.sync()
      #expect(report.valuesReceived == 0, "\(report)")
      let context = ModelContext(container)
      let drawing = try #require(try context.fetch(FetchDescriptor<Drawing>()).first)
      let value = try #require(try context.externalValue(of: \.image, for: drawing))
      #expect(!value.isAvailable)
      try await sync.load(value)
      #expect(value.isAvailable && drawing.image == image)
      try await sync.load(value)
      await sync.stop()
    }
  }

  @Test(arguments: [false, true])
  func `a value that nobody has put there cannot be loaded, and the error says so`(overTransport: Bool) async throws {
    try await Devices.with { devices in
      try await draw(Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 3) }), devices)
      for path in try FileManager.default.subpathsOfDirectory(atPath: devices.folder.path)
      where path.hasSuffix(".tlv") {
        try FileManager.default.removeItem(at: devices.folder.appending(path: path))
      }
      let container = try container("laptop", devices)
      let sync =
        overTransport
        ? try AutomaticSync(container: container, transport: FolderTransport(devices.folder))
        : try AutomaticSync(container: container, folder: devices.folder)
      #expect(try await sync.sync().awaited.count == 1)
      let context = ModelContext(container)
      let drawing = try #require(try context.fetch(FetchDescriptor<Drawing>()).first)
      let value = try #require(try context.externalValue(of: \.image, for: drawing))
      let error = await #expect(throws: SyncError.self) { try await sync.load(value) }
      #expect(error?.code == .missingValue && error?.message.contains(value.sha256) == true, "\(String(describing: error))")
      await sync.stop()
    }
  }
}
