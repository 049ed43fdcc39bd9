import Foundation
import RecordSync
import Tandem
import TandemSync
import Testing

/// Containers whose configurations say with whom their stores are kept equal.
struct SharedContainerTests {
  private func container(_ devices: Devices, _ device: String, _ family: StoreFamily) throws -> ModelContainer {
    let url = devices.store(device)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    var configuration = ModelConfiguration(url: url, family: family)
    configuration.durability = .relaxed
    return try ModelContainer(for: Note.self, configurations: configuration)
  }

  @Test func `two people put the same app into one folder and stay apart until one invites the other`() async throws {
    try await Devices.with { devices in
      let ann = try container(devices, "ann", .own(name: "Ann"))
      let eve = try container(devices, "eve", .own(name: "Eve"))
      let bob = try container(devices, "bob", .ofPlace)
      for (container, text) in [(ann, "milk"), (eve, "bread"), (bob, "salt")] { try add(text, to: container) }
      for _ in 0..<2 {
        for container in [ann, eve, bob] {
          let report = try await SyncEngine(container: container, folder: devices.folder).sync()
          #expect(report.isComplete)
        }
      }
      #expect(try [texts(ann), texts(eve), texts(bob)] == [["milk"], ["bread"], ["salt"]])
      let letter = devices.root.appending(path: "carl.invitation")
      try SharedStore(at: devices.store("ann")).invite("Carl", as: .reader).write(to: letter)
      let carl = try container(devices, "carl", .invited(by: letter))
      let engine = try SyncEngine(container: carl, folder: devices.folder)
      _ = try await engine.sync()
      #expect(try texts(carl) == ["milk"])
      // Used once, the invitation is not needed any more.
      try FileManager.default.removeItem(at: letter)
      try add("oil", to: carl)
      let report = try await SyncEngine(container: carl, folder: devices.folder).sync()
      #expect(report.isComplete && report.warnings.contains { $0.contains("only reads") }, "\(report)")
      _ = try await SyncEngine(container: ann, folder: devices.folder).sync()
      #expect(try [texts(ann), texts(carl)] == [["milk"], ["milk", "oil"]])
    }
  }

  @Test func `an engine meets the tool's device in a shared family, both ways, and also over a transport`() async throws
  {
    try await Devices.with { devices in
      let ann = try container(devices, "ann", .own(name: "Ann"))
      try add("milk", to: ann)
      let engine = try SyncEngine(container: ann, folder: devices.folder)
      _ = try await engine.sync()
      let bob = try container(devices, "bob", .ofPlace)
      try SharedStore(at: devices.store("bob")).join(
        SharedStore(at: devices.store("ann")).invite("Bob", as: .writer))
      try add("bread", to: bob)
      let device = try DeviceDirectory(devices.directory("bob"))
      #expect(try await DeviceSync().synchronize(device, folder: DeviceDirectory(devices.folder)).isComplete)
      #expect(try await engine.sync().isComplete)
      #expect(try [texts(ann), texts(bob)] == [["bread", "milk"], ["bread", "milk"]])
      let sync = try AutomaticSync(container: ann, transport: FolderTransport(devices.folder))
      #expect(try await sync.sync().isComplete)
      await sync.stop()
    }
  }

  @Test func `an invitation that is none, and a container that waits in a wrong folder, are told`() async throws {
    try await Devices.with { devices in
      let letter = devices.root.appending(path: "bob.invitation")
      let bob = try container(devices, "bob", .invited(by: letter))
      let missing = #expect(throws: SyncError.self) { try SyncEngine(container: bob, folder: devices.folder) }
      #expect(missing?.code == .unusableFile)
      try Data("no invitation\n".utf8).write(to: letter)
      #expect { try AutomaticSync(container: bob, folder: devices.folder) } throws: {
        ($0 as? SyncError)?.code == .unusableKey
      }
      let ann = try container(devices, "ann", .own(name: "Ann"))
      _ = try await SyncEngine(container: ann, folder: devices.folder).sync()
      try SharedStore(at: devices.store("ann")).invite("Bob", as: .writer).write(to: letter)
      let other = devices.root.appending(path: "other")
      let error = await #expect(throws: SyncError.self) {
        try await SyncEngine(container: bob, folder: other).sync()
      }
      #expect(error?.code == .folderMissing)
      #expect(!FileManager.default.fileExists(atPath: other.path))
      #expect(try await SyncEngine(container: bob, folder: devices.folder).sync().isComplete)
      #expect(try await SyncEngine(container: bob, folder: other).sync().isComplete)
    }
  }

  @Test func `a writer who is removed is refused, and a founder's engine goes on once it is made anew`() async throws {
    try await Devices.with { devices in
      let (ann, bob) = (try container(devices, "ann", .own(name: "Ann")), try container(devices, "bob", .ofPlace))
      try add("milk", to: ann)
      let shared = SharedStore(at: devices.store("ann"))
      _ = try await SyncEngine(container: ann, folder: devices.folder).sync()
      try SharedStore(at: devices.store("bob")).join(shared.invite("Bob", as: .writer))
      let there = try SyncEngine(container: bob, folder: devices.folder)
      #expect(try await there.sync().isComplete)
      #expect(try shared.remove("Bob").isEmpty)
      try add("bread", to: ann)
      #expect(try await SyncEngine(container: ann, folder: devices.folder).sync().isComplete)
      let error = await #expect(throws: SyncError.self) { try await there.sync() }
      #expect(error?.code == .keyNeeded)
      #expect(try texts(bob) == ["milk"])
    }
  }

  @Test func `an engine that was made before its store was shared, or left, gives the records to nobody`() async throws
  {
    try await Devices.with { devices in
      let ann = try container(devices, "ann", .ofPlace)
      let before = try SyncEngine(container: ann, folder: devices.folder)
      try add("milk", to: ann)
      let shared = SharedStore(at: devices.store("ann"))
      try shared.found(named: "Ann")
      let early = await #expect(throws: SyncError.self) { try await before.sync() }
      #expect(early?.code == .keyNeeded && early?.message.contains("make the engine anew") == true)
      let begun = await #expect(throws: SyncError.self) { try await before.beginAnew() }
      #expect(begun?.code == .keyNeeded)
      #expect(!FileManager.default.fileExists(atPath: devices.folder.path))
      let sharing = try SyncEngine(container: ann, folder: devices.folder)
      #expect(try await sharing.sync().isComplete)
      try shared.leave()
      let late = await #expect(throws: SyncError.self) { try await sharing.sync() }
      #expect(late?.code == .keyNeeded)
      #expect(try await before.sync().isComplete)
    }
  }
}
