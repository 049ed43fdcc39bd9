import Foundation
import HelperProcess
import Tandem
import TandemSync
import Testing

/// Of a store beside that of the notes.
@Model final class Chore {
  var text: String
  init(text: String) { self.text = text }
}

/// Engines that are made of a container and a folder.
struct ContainerSyncTests {
  @Test func `two fresh directories become equal by one line each`() async throws {
    try await Devices.with { devices in
      let (phone, laptop) = (try devices.container("phone"), try devices.container("laptop"))
      let here = try SyncEngine(container: phone, folder: devices.folder)
      let there = try SyncEngine(container: laptop, folder: devices.folder)
      try add("milk", to: phone)
      try add("bread", to: laptop)
      for engine in [here, there, here] { #expect(try await engine.sync().warnings == []) }
      #expect(try texts(phone) == ["bread", "milk"])
      #expect(try texts(laptop) == ["bread", "milk"])
      let report = try await there.sync()
      #expect(report.isUnchanged && report.isComplete)
    }
  }

  @Test func `an engine meets what the tool makes of a device directory`() async throws {
    try await Devices.with { devices in
      let phone = try devices.container("phone")
      try add("milk", to: phone)
      let engine = try SyncEngine(container: phone, folder: devices.folder)
      _ = try await engine.sync()
      let laptop = devices.directory("laptop")
      try FileManager.default.createDirectory(at: laptop, withIntermediateDirectories: true)
      let arguments = ["sync", laptop.path, "--folder", devices.folder.path]
      #expect(try await tandem(arguments) == 0)
      let there = try devices.container("laptop")
      #expect(try texts(there) == ["milk"])
      try add("bread", to: there)
      #expect(try await tandem(arguments) == 0)
      #expect(try await engine.sync().transactionsMerged > 0)
      #expect(try texts(phone) == ["bread", "milk"])
      // The same device by the tool: what the app has exported is taken as it is.
      let report = try await DeviceSync().synchronize(
        DeviceDirectory(devices.directory("phone")), folder: DeviceDirectory(devices.folder))
      #expect(report.isComplete)
      #expect(report.stores.flatMap(\.devices.values).allSatisfy { $0.transactionsExported == 0 })
      #expect(try await engine.sync().isUnchanged)
    }
  }

  private func tandem(_ arguments: [String]) async throws -> Int32 {
    let process = Process()
    process.executableURL = try HelperProcess.executable(named: "tandem")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test func `another place with the same entities is told of until somebody is met`() async throws {
    try await Devices.with { devices in
      let (phone, laptop) = (try devices.container("phone"), try devices.container("laptop", "Documents/Notes"))
      try add("milk", to: phone)
      _ = try await SyncEngine(container: phone, folder: devices.folder).sync()
      let lonely = try await SyncEngine(container: laptop, folder: devices.folder).sync()
      #expect(lonely.warnings.count == 1)
      #expect(lonely.warnings.first?.contains("give both the same place") == true)
      let place = DeviceDirectory.Place(group: "group.org.example.notes", name: "Notes")
      let met = try await SyncEngine(container: laptop, place: place, folder: devices.folder).sync()
      #expect(met.warnings == [] && met.transactionsMerged > 0)
    }
  }

  @Test func `one of several stores has to be named, and a store in memory needs a place`() async throws {
    try await Devices.with { devices in
      let memory = try ModelContainer(for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      #expect { try SyncEngine(container: memory, folder: devices.folder) } throws: {
        ($0 as? SyncError)?.code == .unsuitableStore && "\($0)".contains("name a place")
      }
      #expect { try AutomaticSync(container: memory, folder: devices.folder) } throws: {
        ($0 as? SyncError)?.code == .unsuitableStore
      }
      let place = DeviceDirectory.Place(group: "group.org.example.notes", name: "Notes")
      try add("milk", to: memory)
      _ = try await SyncEngine(container: memory, place: place, folder: devices.folder).sync()
      let phone = try devices.container("phone")
      #expect(try await SyncEngine(container: phone, folder: devices.folder).sync().transactionsMerged == 1)
      #expect { try SyncEngine(container: phone, storeNamed: "Trips", folder: devices.folder) } throws: {
        "\($0)".contains("no store named Trips")
      }
    }
  }

  /// The first store that failed kept those behind it from being synchronised, at the end of an app, too.
  @Test func `a store that fails keeps no other one of the container from being synchronised by hand`() async throws {
    try await Devices.with { devices in
      func container(_ device: String) throws -> ModelContainer {
        let notes = ModelConfiguration("A", schema: Schema([Note.self]), url: devices.store(device, "group.a/A"))
        let chores = ModelConfiguration("B", schema: Schema([Chore.self]), url: devices.store(device, "group.b/B"))
        for configuration in [notes, chores] {
          try FileManager.default.createDirectory(
            at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        return try ModelContainer(for: Schema([Note.self, Chore.self]), configurations: [notes, chores])
      }
      let (phone, laptop) = (try container("phone"), try container("laptop"))
      let sync = try AutomaticSync(container: phone, folder: devices.folder)
      await sync.stop()
      try FileManager.default.createDirectory(at: devices.folder, withIntermediateDirectories: true)
      let group = devices.folder.appending(path: "group.a")
      if FileManager.default.fileExists(atPath: group.path) { try FileManager.default.removeItem(at: group) }
      try Data().write(to: group)
      let context = ModelContext(phone)
      context.insert(Chore(text: "sweep"))
      try context.save()
      let error = await #expect(throws: SyncError.self) { try await sync.sync() }
      #expect(error?.message.contains("group.a") == true, "\(error?.message ?? "")")
      _ = try await SyncEngine(container: laptop, storeNamed: "B", folder: devices.folder).sync()
      #expect(try ModelContext(laptop).fetch(FetchDescriptor<Chore>()).map(\.text) == ["sweep"])
    }
  }

  // A store is named after its directory unless a name is given. Of two with one name the first one was synchronised
  // twice, and the other never, without a word.
  @Test func `stores of one name are all synchronised, and by hand only by other names`() async throws {
    try await Devices.with { devices in
      func container(_ device: String) throws -> ModelContainer {
        let notes = ModelConfiguration(schema: Schema([Note.self]), url: devices.store(device, "group.a/Main"))
        let chores = ModelConfiguration(schema: Schema([Chore.self]), url: devices.store(device, "group.b/Main"))
        for configuration in [notes, chores] {
          try FileManager.default.createDirectory(
            at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        return try ModelContainer(for: Schema([Note.self, Chore.self]), configurations: [notes, chores])
      }
      let (phone, laptop) = (try container("phone"), try container("laptop"))
      let context = ModelContext(phone)
      context.insert(Note(text: "milk"))
      context.insert(Chore(text: "sweep"))
      try context.save()
      for device in [phone, laptop] { try await AutomaticSync(container: device, folder: devices.folder).sync() }
      #expect(try texts(laptop) == ["milk"])
      #expect(try ModelContext(laptop).fetch(FetchDescriptor<Chore>()).map(\.text) == ["sweep"])
      #expect {
        try SyncEngine(container: phone, storeNamed: "Main", folder: devices.folder)
      } throws: {
        ($0 as? SyncError)?.code == .unsuitableStore && "\($0)".contains("2 stores named Main")
      }
    }
  }
}
