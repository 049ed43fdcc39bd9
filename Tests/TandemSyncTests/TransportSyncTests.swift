import Foundation
import RecordSync
import Synchronization
import Tandem
import TandemSync
import Testing

/// A folder as a transport, whose way there can be cut.
final class CuttableTransport: ExchangeTransport {
  private let folder: FolderTransport
  private let isCut = Mutex(false)
  private let lists = Mutex(0)

  var name: String { folder.name }
  var listCount: Int { lists.withLock { $0 } }

  init(_ folder: URL) { self.folder = FolderTransport(folder) }

  func cut(_ value: Bool) { isCut.withLock { $0 = value } }

  private func check() throws {
    if isCut.withLock({ $0 }) { throw SyncError(.transportFailed, "the shelf cannot be reached; check the network") }
  }

  func list() async throws -> [TransportFile]? {
    lists.withLock { $0 += 1 }
    try check()
    return try await folder.list()
  }

  func get(_ paths: [String], into folder: URL) async throws {
    try check()
    try await self.folder.get(paths, into: folder)
  }

  func put(_ paths: [String], from folder: URL) async throws {
    try check()
    try await self.folder.put(paths, from: folder)
  }

  func remove(_ paths: [String]) async throws {
    try check()
    try await folder.remove(paths)
  }
}

/// Containers that synchronise by themselves over a transport.
struct TransportSyncTests {
  private var impatient: WatchOptions {
    var options = WatchOptions()
    options.saveDelay = .milliseconds(10)
    options.pollInterval = .milliseconds(20)
    options.greatestRetryDelay = .milliseconds(40)
    return options
  }

  @Test func `saves of one container reach the other over a transport, both ways`() async throws {
    try await Devices.with { devices in
      let (phone, laptop) = (try devices.container("phone"), try devices.container("laptop"))
      let shelf = FolderTransport(devices.folder)
      let here = try AutomaticSync(container: phone, transport: shelf, watch: impatient)
      let there = try AutomaticSync(container: laptop, transport: shelf, watch: impatient)
      try add("milk", to: phone)
      try await expect(["milk"], in: laptop)
      try add("bread", to: laptop)
      try await expect(["bread", "milk"], in: phone)
      await here.stop()
      try add("salt", to: phone)
      try await here.sync()
      try await expect(["bread", "milk", "salt"], in: laptop)
      await there.stop()
      let report = try await there.sync()
      #expect(report.isUnchanged && report.isComplete)
      #expect(try staged(devices) == [], "nothing stays under way")
    }
  }

  /// Files under way that a run has left beside the stores.
  private func staged(_ devices: Devices) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: devices.root.path).filter { $0.contains(".transport") }
  }

  @Test func `a container meets a device that uses the same place as a folder, and the tool's device`() async throws {
    try await Devices.with { devices in
      let (phone, laptop, tablet) = (
        try devices.container("phone"), try devices.container("laptop"), try devices.container("tablet")
      )
      try add("milk", to: phone)
      let sync = try AutomaticSync(
        container: phone, transport: FolderTransport(devices.folder), watch: impatient)
      try await sync.sync()
      await sync.stop()
      _ = try await SyncEngine(container: laptop, folder: devices.folder).sync()
      let report = try await DeviceSync().synchronize(
        DeviceDirectory(devices.directory("tablet")), folder: DeviceDirectory(devices.folder))
      #expect(report.isComplete)
      for container in [laptop, tablet] { #expect(try texts(container) == ["milk"]) }
    }
  }

  @Test func `other things in the folder around the stores are neither looked at nor synchronised`() async throws {
    try await Devices.with { devices in
      let phone = try devices.container("phone")
      _ = try devices.container("phone", "group.org.example.other/Other")
      let odd = devices.directory("phone").appending(path: "group.org.example.notes/Odd.exchange")
      try Data("no folder".utf8).write(to: odd)
      try add("milk", to: phone)
      let sync = try AutomaticSync(container: phone, transport: FolderTransport(devices.folder), watch: impatient)
      let report = try await sync.sync()
      await sync.stop()
      #expect(report.isComplete)
      let groups = try FileManager.default.contentsOfDirectory(atPath: devices.folder.path)
      #expect(groups == ["group.org.example.notes"])
      try FileManager.default.removeItem(at: odd)
    }
  }

  @Test func `a place that cannot be reached is told once, asked after growing waits, and told when it is over`()
    async throws
  {
    try await Devices.with { devices in
      let (phone, laptop) = (try devices.container("phone"), try devices.container("laptop"))
      let shelf = CuttableTransport(devices.folder)
      shelf.cut(true)
      let sync = try AutomaticSync(container: phone, transport: shelf, watch: impatient)
      var events = sync.events.makeAsyncIterator()
      try add("milk", to: phone)
      var sentences: [String] = []
      // Several runs go by, each of which fails alike.
      while shelf.listCount < 5 { await Task.yield() }
      let error = await #expect(throws: SyncError.self) { try await sync.sync() }
      #expect(error?.code == .transportFailed)
      shelf.cut(false)
      while let event = await events.next() {
        if case .trouble(let sentence) = event { sentences.append(sentence) }
        guard case .over(let sentence) = event else { continue }
        #expect(sentence.contains("cannot be reached"))
        break
      }
      // The first may have been told before anybody listened.
      #expect(sentences.count <= 1)
      let there = try AutomaticSync(container: laptop, transport: shelf, watch: impatient)
      try await expect(["milk"], in: laptop)
      await sync.stop()
      await there.stop()
    }
  }

  @Test func `a place that was emptied is a trouble, and nothing is written to it`() async throws {
    try await Devices.with { devices in
      let phone = try devices.container("phone")
      try add("milk", to: phone)
      let sync = try AutomaticSync(container: phone, transport: FolderTransport(devices.folder), watch: impatient)
      try await sync.sync()
      await sync.stop()
      try FileManager.default.removeItem(at: devices.folder)
      let error = await #expect(throws: SyncError.self) { try await sync.sync() }
      #expect(error?.message.contains("--begin-anew") == true, "\(error?.message ?? "")")
      #expect(!FileManager.default.fileExists(atPath: devices.folder.path))
    }
  }

  @Test func `a store whose name is not one of a device directory, and one in memory, are refused`() async throws {
    try await Devices.with { devices in
      let shelf = FolderTransport(devices.folder)
      let url = devices.directory("phone").appending(path: "group/Notes.sqlite")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      let odd = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: url))
      let memory = try ModelContainer(for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      for container in [odd, memory] {
        #expect { try AutomaticSync(container: container, transport: shelf) } throws: {
          ($0 as? SyncError)?.code == .unsuitableStore
        }
      }
    }
  }

  private static var hasRclone: Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/rclone")
    }
  }

  @Test(.enabled(if: hasRclone, "rclone is not installed (apt-get install rclone)"))
  func `two containers become equal by rclone itself, on a disk of this machine`() async throws {
    try await Devices.with { devices in
      let configuration = devices.root.appending(path: "rclone.conf")
      try Data("[disk]\ntype = alias\nremote = \(devices.folder.path)\n".utf8).write(to: configuration)
      var options = RcloneTransport.Options()
      options.environment = ["RCLONE_CONFIG": configuration.path]
      let transport = try RcloneTransport("disk:notes", options: options)
      let (phone, laptop) = (try devices.container("phone"), try devices.container("laptop"))
      let here = try AutomaticSync(container: phone, transport: transport, watch: impatient)
      let there = try AutomaticSync(container: laptop, transport: transport, watch: impatient)
      try add("milk", to: phone)
      try await expect(["milk"], in: laptop)
      try add("bread", to: laptop)
      try await expect(["bread", "milk"], in: phone)
      await here.stop()
      await there.stop()
    }
  }
}
