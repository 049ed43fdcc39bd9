import Foundation
import LMDB
import TestSupport
import Testing

/// Logs as a build once left them after a crash, in `SyncFixtures/golden/redo-1`: the data file as the device had it,
/// and the log's pages that hold records. They are never edited; later builds must complete such a store.
struct RedoLogGoldenTests {
  @Test func `commits that the first build logged are done again`() throws {
    var disk = RedoDisk(data: try Self.file("data.mdb"), log: try Self.file("redo.log"))
    #expect(disk.hasRecord)
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    try disk.write(to: directory)
    let environment = try openLogged(directory)
    #expect(
      try environment.content(["people", "places", "gone"]) == [
        "people": ["ada": "countess", "grace": "admiral"], "places": ["paris": String(repeating: "p", count: 5_000)],
        "gone": [:],
      ])
    disk = try RedoDisk(of: directory)
    #expect(!disk.hasRecord)
  }

  private static func file(_ name: String) throws -> Data {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: root.appending(path: "SyncFixtures/golden/redo-1/\(name)"))
  }
}
