import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Records whose bytes changed in the file.
struct DamagedRecordTests {
  /// A former test of this name updated a record that was not there, and no record was damaged.
  @Test(arguments: [true, false])
  func `a damaged record is reported by an update of it, and stays as it is`(savesPlainly: Bool) throws {
    // A store that would not pass its own check.
    let temporary = try TemporaryStore { $0.savesPlainly = savesPlainly }
    let store = temporary.store
    let names = try FixtureNames(store)
    let note = names.entity("Note")
    try store.save(names.insert("Note", fixtureID(2), ["text": .string("old")]))
    let key = fixtureID(2).withRawBytes { $0.copied() }
    let damaged = try store.write { transaction, layout throws -> ([UInt8], StoreLayout) in
      let row = try #require(try transaction.view.get(layout.databases.records[note], key: key))
      var bytes = row.copied()
      bytes[bytes.count - 1] ^= 1
      try transaction.put(layout.databases.records[note], key: key, value: bytes)
      return (bytes, layout)
    }
    let update = names.update("Note", fixtureID(2), ["text": .string("new")])
    #expect(storeErrorCode { try store.save(update) } == .damaged)
    #expect(try store.read { try $0.lastTransactionNumber } == 1)
    let stored = try store.read { snapshot throws in
      try snapshot.transaction.get(snapshot.layout.databases.records[note], key: key)?.copied()
    }
    #expect(stored == damaged)
  }
}
