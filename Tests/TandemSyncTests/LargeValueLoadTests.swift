import Foundation
import HelperProcess
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

/// The drawing of an app's next version: the image has another name, and lies in the record.
private enum NextDrawing {
  @Model final class Drawing {
    var name: String
    @Attribute(originalName: "image") var picture: Data?

    init(name: String, picture: Data?) { (self.name, self.picture) = (name, picture) }
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
      let image = image()
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

  /// A laptop that has the phone's drawing without its image, of which somebody else's store knows nothing either.
  private func awaiting(_ image: Data, _ devices: Devices) async throws -> (ModelContainer, SyncEngine) {
    try await draw(image, devices)
    let container = try container("laptop", devices)
    var options = SyncOptions()
    options.largeValues = .onDemand
    let engine = try SyncEngine(container: container, folder: devices.folder, options: options)
    _ = try await engine.sync()
    return (container, engine)
  }

  @Test(arguments: [false, true])
  func `undoing takes a replaced value back that has not come`(isSaved: Bool) async throws {
    try await Devices.with { devices in
      let image = image()
      let (container, engine) = try await awaiting(image, devices)
      let context = ModelContext(container)
      context.undoManager = UndoManager()
      let drawing = try #require(try context.fetch(FetchDescriptor<Drawing>()).first)
      let value = try #require(try context.externalValue(of: \.image, for: drawing))
      drawing.image = Data([1])
      if isSaved { try context.save() }
      context.undoManager?.undo()
      try context.save()
      let again = try #require(try ModelContext(container).fetch(FetchDescriptor<Drawing>()).first)
      // After a save nothing of it is left here, and what is there now is better than nothing.
      if isSaved {
        #expect(again.image == Data([1]))
      } else {
        try await engine.load(value)
        #expect(again.image == image && drawing.image == image)
        context.undoManager?.redo()
        #expect(drawing.image == Data([1]))
      }
    }
  }

  @Test func `a value that has not come arrives under the name that its attribute has by then`() async throws {
    try await Devices.with { devices in
      let image = image()
      do { _ = try await awaiting(image, devices) }
      let url = devices.store("laptop")
      let container = try ModelContainer(for: NextDrawing.Drawing.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      let drawing = try #require(try context.fetch(FetchDescriptor<NextDrawing.Drawing>()).first)
      let value = try #require(try context.externalValue(of: \.picture, for: drawing))
      #expect(!value.isAvailable && value.byteCount == image.count)
      try await SyncEngine(container: container, folder: devices.folder).load(value)
      #expect(drawing.picture == image)
      drawing.name = "home"
      try context.save()
      let again = try #require(try ModelContext(container).fetch(FetchDescriptor<NextDrawing.Drawing>()).first)
      #expect(again.picture == image && again.name == "home")
    }
  }

  @Test func `a copy of a store keeps the names of values that have not come`() async throws {
    try await Devices.with { devices in
      let image = image()
      let copy = devices.store("copy")
      do {
        let (container, _) = try await awaiting(image, devices)
        try FileManager.default.createDirectory(
          at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        try container.store.copy(to: copy)
      }
      let container = try container("copy", devices)
      let context = ModelContext(container)
      let drawing = try #require(try context.fetch(FetchDescriptor<Drawing>()).first)
      let value = try #require(try context.externalValue(of: \.image, for: drawing))
      #expect(!value.isAvailable)
      try await SyncEngine(container: container, folder: devices.folder).load(value)
      #expect(drawing.image == image)
    }
  }

  /// Another one each time: a value counts as here while any store of the process has it, and other tests have stores.
  private func image() -> Data { Data(UUID().uuidString.utf8) + Data(repeating: 7, count: 199_964) }

  private func digest(_ image: Data, _ container: ModelContainer) throws -> String {
    let context = ModelContext(container)
    for drawing in try context.fetch(FetchDescriptor<Drawing>()) where drawing.image == image {
      return try #require(try context.externalValue(of: \.image, for: drawing)).sha256
    }
    throw SyncError(.missingValue, "no drawing has the image")
  }

  @Test func `an app hears of each value when it comes, also through another process, and of none of its own`()
    async throws
  {
    try await Devices.with { devices in
      let images = (1...3).map { _ in image() }
      for image in images { try await draw(image, devices) }
      let container = try container("laptop", devices)
      var options = SyncOptions()
      options.largeValues = .onDemand
      let engine = try SyncEngine(container: container, folder: devices.folder, options: options)
      _ = try await engine.sync()
      let sequence = try container.externalValueArrivals()
      let context = ModelContext(container)
      context.insert(Drawing(name: "own", image: image()))
      try context.save()
      _ = try await engine.sync()
      let names = try context.fetch(FetchDescriptor<Drawing>(predicate: #Predicate { $0.name == "house" }))
        .map { try #require(try context.externalValue(of: \.image, for: $0)) }
      // One before anybody reads, one while somebody does.
      try await engine.load(names[0])
      var arrivals = sequence.makeAsyncIterator()
      #expect(try await arrivals.next()?.sha256 == names[0].sha256)
      try await engine.load(names[1])
      let second = try #require(try await arrivals.next())
      #expect(second.sha256 == names[1].sha256 && second.isAvailable)

      let other = try HelperProcess(
        arguments: ["sync", devices.directory("laptop").path, "--folder", devices.folder.path], program: "tandem")
      let third = try #require(try await arrivals.next())
      #expect(try third.sha256 == names[2].sha256 && third.data().count == 200_000)
      #expect(try other.finish() == 0)

      // A value that comes in the run that names it was never seen to be awaited.
      let last = image()
      try await draw(last, devices)
      _ = try await SyncEngine(container: container, folder: devices.folder).sync()
      #expect(try await arrivals.next()?.sha256 == digest(last, container))

      var both = sequence.makeAsyncIterator()
      var heard: Set<String> = []
      for _ in 0..<4 { heard.insert(try #require(try await both.next()).sha256) }
      #expect(try heard == Set(names.map(\.sha256) + [digest(last, container)]), "another reader gets all of them")

      let reader = Task {
        var count = 0
        for try await _ in try container.externalValueArrivals() { count += 1 }
        return count
      }
      reader.cancel()
      #expect(try await reader.value == 0)
    }
  }

  @Test(arguments: [false, true])
  func `a container that synchronises by itself loads a value when it is asked`(overTransport: Bool) async throws {
    try await Devices.with { devices in
      let image = image()
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
      if let value = try context.externalValue(of: \.image, for: drawing) { try await sync.load(value) }
      await sync.stop()
    }
  }

  @Test(arguments: [false, true])
  func `a value that nobody has put there cannot be loaded, and the error says so`(overTransport: Bool) async throws {
    try await Devices.with { devices in
      try await draw(image(), devices)
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
      #expect(
        error?.code == .missingValue && error?.message.contains(value.sha256) == true, "\(String(describing: error))")
      await sync.stop()
    }
  }

  // The run that reached the bound was taken for one that had found nothing, though the value lay there.
  @Test func `a bound on bytes leaves a value to a later call, and the error says so`() async throws {
    try await Devices.with { devices in
      let image = image()
      try await draw(image, devices)
      let container = try container("laptop", devices)
      let shelf = FolderTransport(devices.folder)
      var options = DeviceSync.Options()
      options.largeValues = .onDemand
      let first = try AutomaticSync(container: container, transport: shelf, options: options)
      await first.stop()
      try await first.sync()
      let context = ModelContext(container)
      let drawing = try #require(try context.fetch(FetchDescriptor<Drawing>()).first)
      let value = try #require(try context.externalValue(of: \.image, for: drawing))
      for _ in 0..<2 { try await draw(Data([1]), devices) }
      options.maximumBytes = 1
      let bounded = try AutomaticSync(container: container, transport: shelf, options: options)
      await bounded.stop()
      var errors: [SyncError] = []
      for _ in 0..<10 where !value.isAvailable {
        do {
          try await bounded.load(value)
        } catch let error as SyncError {
          errors.append(error)
        }
      }
      #expect(value.isAvailable && drawing.image == image)
      #expect(!errors.isEmpty)
      for error in errors {
        #expect(error.code == .missingValue && error.message.contains("maximumBytes"), "\(error.message)")
      }
    }
  }
}
