import Foundation
import Tandem
import TandemSync
import Testing

/// Where the folder of a synchronisation may lie, and what an app does with one that was emptied.
struct FolderPlaceTests {
  @Test func `a folder in the store's directory, or around it, is refused with the remedy`() async throws {
    try await Devices.with { devices in
      let phone = try devices.container("phone")
      let store = devices.store("phone")
      let link = devices.root.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: devices.directory("phone"))
      for folder in [store, store.appending(path: "exchange"), devices.directory("phone"), devices.root, link] {
        for make in [
          { _ = try SyncEngine(container: phone, folder: folder) },
          { _ = try AutomaticSync(container: phone, folder: folder) },
        ] as [() throws -> Void] {
          let error = #expect(throws: SyncError.self) { try make() }
          #expect(error?.code == .sameDirectory, "\(folder.path)")
          #expect(error?.message.contains("name two") == true)
        }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: store.path).sorted().contains("exchange") == false)
    }
  }

  @Test func `a transport's folder may lie beside the stores, and neither around nor in them`() async throws {
    try await Devices.with { devices in
      let phone = try devices.container("phone")
      try add("milk", to: phone)
      let (store, device) = (devices.store("phone"), devices.directory("phone"))
      let exchange = store.deletingPathExtension().appendingPathExtension("exchange")
      let link = devices.root.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: device)
      let sync = DeviceSync()
      for folder in [device, devices.root, link, store, store.appending(path: "shelf"), exchange] {
        let directory = try DeviceDirectory(device)
        for run in [
          { _ = try await sync.synchronize(directory, transport: FolderTransport(folder)) },
          { _ = try await sync.plan(directory, transport: FolderTransport(folder)) },
        ] as [() async throws -> Void] {
          let error = await #expect(throws: SyncError.self) { try await run() }
          #expect(error?.code == .sameDirectory, "\(folder.path)")
        }
      }
      let empty = devices.root.appending(path: "empty")
      try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
      let error = await #expect(throws: SyncError.self) {
        try await sync.synchronize(try DeviceDirectory(empty), transport: FolderTransport(empty))
      }
      #expect(error?.code == .sameDirectory)
      let shelf = device.appending(path: "shelf")
      try FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: true)
      let report = try await sync.synchronize(try DeviceDirectory(device), transport: FolderTransport(shelf))
      #expect(report.stores.allSatisfy { $0.failure == nil && $0.undelivered.isEmpty } && !report.stores.isEmpty)
      let laptop = try devices.container("laptop")
      _ = try await sync.synchronize(
        try DeviceDirectory(devices.directory("laptop")), transport: FolderTransport(shelf))
      #expect(try texts(laptop) == ["milk"])
    }
  }

  @Test(arguments: [true, false])
  func `an app fills a folder that was emptied, and the message says how`(goesOverTransport: Bool) async throws {
    try await Devices.with { devices in
      let phone = try devices.container("phone")
      try add("milk", to: phone)
      var watch = WatchOptions()
      watch.pollInterval = .seconds(3_600)
      let sync =
        goesOverTransport
        ? try AutomaticSync(container: phone, transport: FolderTransport(devices.folder), watch: watch)
        : try AutomaticSync(container: phone, folder: devices.folder, watch: watch)
      try await sync.sync()
      await sync.stop()
      try FileManager.default.removeItem(at: devices.folder)
      let error = await #expect(throws: SyncError.self) { try await sync.sync() }
      #expect(error?.message.contains("beginAnew()") == true, "\(error?.message ?? "")")
      try await sync.beginAnew()
      let laptop = try devices.container("laptop")
      if goesOverTransport {
        let other = try AutomaticSync(container: laptop, transport: FolderTransport(devices.folder), watch: watch)
        try await other.sync()
        await other.stop()
      } else {
        _ = try await SyncEngine(container: laptop, folder: devices.folder).sync()
      }
      #expect(try texts(laptop) == ["milk"])
    }
  }
}
