import Foundation
import Synchronization
import Testing

@testable import AstroSvitla

/// The file that says which installation of the app this is.
@Suite struct InstallationTests {
  private struct Refusal: Error {}

  private func withStore(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "installation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try body(folder.appending(path: "AstroSvitla.store"))
  }

  /// The file alone was flushed: a power cut could take its name back after the user of the id was stored, and the next
  /// launch was another installation.
  @Test func `the folder is flushed once the file has its name, and before the id is used`() throws {
    try withStore { store throws in
      let folder = store.deletingLastPathComponent()
      var flushed: [[String]] = []
      let first = try Installation.open(
        beside: store,
        flushing: { directory in
          #expect(directory.standardizedFileURL.path == folder.standardizedFileURL.path)
          flushed.append(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix("ion") })
        })
      #expect(flushed == [["AstroSvitla.installation"]])
      let again = try Installation.open(beside: store, flushing: { _ in flushed.append([]) })
      #expect(again == first && flushed.count == 2, "its maker may have died before the flush")
    }
  }

  @Test func `an id whose name cannot be made safe is not used, and the next launch takes it`() throws {
    try withStore { store throws in
      let made = Mutex<UUID?>(nil)
      #expect(throws: Refusal.self) {
        try Installation.open(
          beside: store,
          newID: {
            let id = UUID()
            made.withLock { $0 = id }
            return id
          }, flushing: { _ in throw Refusal() })
      }
      #expect(try Installation.open(beside: store).id == made.withLock { $0 })
    }
  }
}
