import Foundation
import HelperProcess
import LMDB
import TestSupport
import Testing

/// Logs as a build once left them after a crash, in `SyncFixtures/golden/redo-1`: the data file as the device had it,
/// and the log's pages that hold records; and in `redo-failure-1` the mark of a failed flush for that log. They are
/// never edited; later builds must complete such a store, and heed such a mark.
struct RedoLogGoldenTests {
  @Test func `commits that the first build logged are done again`() throws {
    var disk = RedoDisk(data: try Self.file("data.mdb"), log: try Self.file("redo.log"))
    #expect(disk.hasRecord)
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    try disk.write(to: directory)
    try expectWhole(try openLogged(directory))
    disk = try RedoDisk(of: directory)
    #expect(!disk.hasRecord)
  }

  @Test func `a log that the first build marked as needed is done again by who is alone, and left by others`() throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    var disk = RedoDisk(data: try Self.file("data.mdb"), log: Data())
    try disk.write(to: directory)
    // Uses the environment before the log is there.
    let other = try HelperProcess("commit-on-request", directory.path)
    try other.expect("found 2")
    disk.log = try Self.file("redo.log")
    disk.log += Data(count: (1 << 20) - 4096 - disk.log.count) + (try Self.file("mark", in: "redo-failure-1"))
    try disk.log.write(to: URL(fileURLWithPath: directory.path).appending(path: Environment.redoLogName))
    try other.send("commit")
    try other.expect("panic")
    #expect(try other.finish() == 0)
    #expect(try RedoDisk(of: directory).log == disk.log)

    let environment = try openLogged(directory)
    try expectWhole(environment)
    for key in ["first", "second"] { try environment.put(key, "value") }
    #expect(try RedoDisk(of: directory).hasRecord)
  }

  private func expectWhole(_ environment: Environment) throws {
    #expect(
      try environment.content(["people", "places", "gone"]) == [
        "people": ["ada": "countess", "grace": "admiral"], "places": ["paris": String(repeating: "p", count: 5_000)],
        "gone": [:],
      ])
  }

  private static func file(_ name: String, in folder: String = "redo-1") throws -> Data {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: root.appending(path: "SyncFixtures/golden/\(folder)/\(name)"))
  }
}
