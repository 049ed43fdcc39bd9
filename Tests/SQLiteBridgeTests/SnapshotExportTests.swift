import Foundation
import RecordStore
import Synchronization
import Testing

@testable import SQLiteBridge

/// Exports while others save.
struct SnapshotExportTests {
  @Test func `a file shows one moment, whatever is saved meanwhile`() throws {
    try SQLiteFixture.with { fixture throws in
      let schema = StoreSchema(entities: [
        EntityDefinition(name: "Left", attributes: [AttributeDefinition(name: "number", type: .int)]),
        EntityDefinition(name: "Right", attributes: [AttributeDefinition(name: "number", type: .int)]),
      ])
      let store = try RecordStore.open(fixture.configuration("new"), schema: schema)
      let ids = [RecordID(high: 1, low: 1), RecordID(high: 1, low: 2)]
      _ = try store.commit(
        SaveRequest(changes: (0..<2).map { .insert(entity: $0, id: ids[$0], fields: [FieldWrite(0, .int(0))]) }))
      let isDone = Atomic(false)
      let failures = Mutex<[String]>([])
      let end = DispatchSemaphore(value: 0)
      // A thread of its own: those of the system may all be taken, and then nothing would be saved meanwhile.
      Thread.detachNewThread {
        defer { end.signal() }
        do {
          var number: Int64 = 0
          while !isDone.load(ordering: .acquiring) {
            number += 1
            let write = FieldWrite(0, .int(number))
            _ = try store.commit(
              SaveRequest(changes: (0..<2).map { .update(entity: $0, id: ids[$0], fields: [write]) }))
          }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      let exports = Result { try expectPairs(store, fixture) }
      isDone.store(true, ordering: .releasing)
      end.wait()
      #expect(failures.withLock { $0 } == [])
      try exports.get()
    }
  }

  /// Until the numbers have been seen to rise.
  private func expectPairs(_ store: RecordStore, _ fixture: SQLiteFixture) throws {
    var seen: Set<SQLiteValue> = []
    for _ in 0..<2000 where seen.count < 10 {
      let url = fixture.folder.appendingPathComponent("pair.sqlite")
      _ = try SQLiteExport.write(store, to: url, replacing: true)
      let pair = try SQLiteCopy(url).open().rows("SELECT l.number, r.number FROM \"Left\" l, \"Right\" r")
      #expect(pair.count == 1 && pair[0][0] == pair[0][1])
      seen.insert(pair[0][0])
    }
    #expect(seen.count == 10)
  }
}
