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
