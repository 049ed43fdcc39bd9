import Foundation
import HelperProcess
import LMDB
import RecordStore
import TestSupport
import Testing

/// Small saves in quick succession, which a log keeps until the store rests.
struct SmallSaveTests {
  private func withDurableStore(_ body: (TemporaryStore) throws -> Void) throws {
    let temporary = try TemporaryStore { $0.durability = .full }
    try body(temporary)
    try temporary.check()
  }

  private func hasLoggedSaves(_ store: TemporaryStore) throws -> Bool {
    let log = store.store.url.appendingPathComponent(Environment.redoLogName)
    guard FileManager.default.fileExists(atPath: log.path) else { return false }
    return try Data(contentsOf: log).prefix(4) == Data("TRDO".utf8)
  }

  @Test func `a store that rests brings what it logged to the data file`() throws {
    try withDurableStore { temporary in
      let names = try FixtureNames(temporary.store)
      let deadline = ContinuousClock.now + .seconds(60)
      // On a slow machine it may rest between two saves.
      repeat {
        try temporary.store.save(names.insert("Note", RecordIDGenerator.shared.next()))
      } while try !hasLoggedSaves(temporary) && ContinuousClock.now < deadline
      #expect(ContinuousClock.now < deadline)
      while try hasLoggedSaves(temporary), ContinuousClock.now < deadline { usleep(5_000) }
      #expect(try !hasLoggedSaves(temporary))
    }
  }

  /// It went by the log, so that whoever opened the store next could take it for current, and itself for the only user.
  @Test func `a process that never flushes follows what others logged`() throws {
    let temporary = try TemporaryStore()
    let helper = try HelperProcess("log-commits", temporary.store.url.path, "others", "5")
    try helper.expect("committed")
    #expect(try hasLoggedSaves(temporary))
    let names = try FixtureNames(temporary.store)
    try temporary.store.save(names.insert("Note", RecordIDGenerator.shared.next()))
    #expect(try !hasLoggedSaves(temporary))
    try helper.send("go")
    #expect(try helper.finish() == 0)
  }

  @Test func `errors about the log say what it holds, and the remedy`() throws {
    let alone = LMDBError(.recoveryNeeded, operation: "open", detail: "")
    let reading = StoreError(alone, store: "/place")
    #expect(reading.code == .permissionDenied)
    #expect(reading.message.contains("open it once for writing"))
    let later = StoreError(LMDBError(.laterLog, operation: "read", detail: "format 2"), store: "/place")
    #expect(later.code == .newerFormat)
    #expect(later.message.contains("later version"))
  }
}
