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
}
