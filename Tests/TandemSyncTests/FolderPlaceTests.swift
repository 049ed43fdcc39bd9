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
}
