import Foundation
import HelperProcess
import RecordStore
import TestSupport
import Testing

/// Real processes around one migration.
struct MigrationProcessTests {
  private func withStore(_ body: (String) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let path = folder.appendingPathComponent("books.store").path
    let outcome = Result {
      #expect(try run("create", path) == "created")
      try body(path)
      try expectSound(RecordStore.open(StoreConfiguration(url: URL(fileURLWithPath: path))))
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func start(_ arguments: String...) throws -> HelperProcess {
    try HelperProcess(arguments: arguments, program: "migration-test-helper")
  }

  /// The only line that a run says; nil if it dies before.
  private func run(_ arguments: String...) throws -> String? {
    let helper = try HelperProcess(arguments: arguments, program: "migration-test-helper")
    let line = try helper.line()
    _ = try helper.finish()
    return line
  }

  private let old = "v1 20 2000"
  private let new = "v2 20 2000 20"

  @Test func `a process killed at any step leaves the old state or the new one, and the next one migrates`() throws {
    var point = 0
    var states: [String] = []
    while true {
      var isOver = false
      try withStore { path in
        let line = try run("migrate", path, "\(point)")
        isOver = line != nil
        let state = try run("audit", path)
        #expect(state == old || state == new, "after point \(point)")
        states.append(state ?? "")
        let reports = isOver || state == new ? 0 : 1
        #expect(try run("migrate", path) == "\(new) reports \(reports)", "after point \(point)")
        let backups = try RecordStore.backups(of: URL(fileURLWithPath: path))
        #expect((1...2).contains(backups.count), "after point \(point)")
      }
      if isOver { break }
      point += 1
    }
    print("killed at \(point) points: \(states.filter { $0 == old }.count) times the old state was left")
    #expect(point > 8)
    #expect(states.contains(old) && states.contains(new))
  }

  @Test func `of two processes that migrate at once, one does and both go on`() throws {
    for _ in 0..<5 {
      try withStore { path in
        let helpers = try (0..<3).map { _ in try start("migrate", path) }
        let lines = try helpers.map { try $0.line() }
        for helper in helpers { #expect(try helper.finish() == 0) }
        #expect(lines.compactMap { $0 }.sorted() == ["\(new) reports 0", "\(new) reports 0", "\(new) reports 1"])
        #expect(try RecordStore.backups(of: URL(fileURLWithPath: path)).count == 1)
      }
    }
  }

  @Test func `a process with the old schema gets a typed error at its next use and changes nothing`() throws {
    try withStore { path in
      let holder = try start("hold", path)
      try holder.expect(old)
      #expect(try run("migrate", path) == "\(new) reports 1")
      for cue in ["read", "save", "read"] {
        try holder.send(cue)
        try holder.expect("backwardMigration")
      }
      #expect(try holder.finish() == 0)
      #expect(try run("audit", path) == new)
    }
  }

  @Test func `streams of a process with the old schema end with the reason and the remedy`() throws {
    try withStore { path in
      let follower = try start("follow", path)
      try follower.expect("following 20")
      #expect(try run("add", path) == "added")
      let added = "v2 21 2001 20 reports 1"
      #expect(try run("migrate", path) == added)
      let reason =
        "then backwardMigration: the store has schema version 2.0.0, this app declares 1.0.0 and Account has changed "
        + "since: update the app"
      try follower.expect("changes: 1, \(reason)")
      try follower.expect("results: 1, \(reason), 21")
      try follower.expect("error: backwardMigration")
      try follower.expect("history: 1, \(reason)")
      try follower.expect("later: 0, then backwardMigration")
      #expect(try follower.finish() == 0)
    }
  }

  @Test func `an identifier that one process kept names the object in another, after the migration too`() throws {
    try withStore { path in
      let text = try #require(try run("identify", path))
      #expect(try run("migrate", path) == "\(new) reports 1")
      #expect(try run("find", path, text) == "7")
    }
  }

  @Test func `a process with the old schema goes on with a store that was restored`() throws {
    try withStore { path in
      let holder = try start("hold", path)
      try holder.expect(old)
      #expect(try run("migrate", path) == "\(new) reports 1")
      let url = URL(fileURLWithPath: path)
      let backup = try #require(try RecordStore.backups(of: url).first)
      try RecordStore.open(StoreConfiguration(url: url)).restore(backup)
      try holder.send("read")
      try holder.expect(old)
      try holder.send("save")
      try holder.expect("saved")
      #expect(try holder.finish() == 0)
      #expect(try run("audit", path) == "v1 20 1907")
    }
  }
}
