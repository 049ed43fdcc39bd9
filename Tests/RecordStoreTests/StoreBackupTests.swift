import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Copies from before migrations, and the way back.
struct StoreBackupTests {
  private func note(_ text: AttributeDefinition, _ version: Int) -> StoreSchema {
    StoreSchema(
      version: SchemaVersion(version, 0, 0), entities: [EntityDefinition(name: "Note", attributes: [text])])
  }
  private let optional = AttributeDefinition(name: "text", type: .string, isOptional: true)
  private let required = AttributeDefinition(name: "text", type: .string, defaultValue: .string("-"))

  /// A store with one note without text, migrated to where it must have one.
  private func withMigrated(_ body: (RecordStore, FixtureNames) throws -> Void) throws {
    try withTemporaryStore(schema: note(optional, 1)) { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Note", fixtureID(1), ["text": .null]))
      try store.migrate(to: note(required, 2))
      try body(store, names)
    }
  }

  @Test func `a migration that rewrites records copies the store first`() throws {
    try withMigrated { store, _ in
      let backup = try #require(try RecordStore.backups(of: store.url).first)
      #expect(store.migrations.map(\.backup) == [backup])
      #expect(store.migrations.map(\.steps) == [[.madeRequired("Note.text", filled: 1), .changedDefault("Note.text")]])
      #expect(backup.schemaVersion == SchemaVersion(1, 0, 0))
      #expect(abs(backup.madeAt.timeIntervalSinceNow) < 3600)
      let copy = try RecordStore.open(StoreConfiguration(url: backup.url, isReadOnly: true))
      #expect(try copy.value("Note", fixtureID(1), "text") == .null)
      #expect(try store.value("Note", fixtureID(1), "text") == .string("-"))
    }
  }

  @Test func `a migration that only adds makes no copy, nor does a store without copies`() throws {
    try withTemporaryStore(schema: note(optional, 1)) { store throws in
      try store.migrate(
        to: StoreSchema(
          version: SchemaVersion(2, 0, 0),
          entities: [
            EntityDefinition(name: "Note", attributes: [optional], indexes: [IndexDefinition("text")]),
            EntityDefinition(name: "Other"),
          ]))
      #expect(try RecordStore.backups(of: store.url).isEmpty)
      #expect(store.migrations.map(\.steps) == [[.addedIndex("Note(text)"), .addedEntity("Other")]])
    }
  }

  @Test func `the newest copies are kept, as many as the configuration says`() throws {
    try withTemporaryStore(schema: note(optional, 1)) { store throws in
      let names = try FixtureNames(store)
      for version in [2, 4, 6] {
        try store.save(names.insert("Note", fixtureID(UInt64(version)), ["text": .null]))
        try store.migrate(to: note(required, version))
        // Back to optional rewrites nothing, so it makes no copy.
        try store.migrate(to: note(optional, version + 1))
      }
      let backups = try RecordStore.backups(of: store.url)
      #expect(backups.map(\.schemaVersion.major) == [1, 3, 5])
      try store.save(names.insert("Note", fixtureID(100), ["text": .null]))
      try store.migrate(to: note(required, 8))
      #expect(try RecordStore.backups(of: store.url).map(\.schemaVersion.major) == [3, 5, 7])
    }
  }

  /// Each attempt on a full disk left a copy, which took the place of one from before an earlier migration.
  @Test func `a migration that fails leaves the copies as they were`() throws {
    struct Failure: Error {}
    try withMigrated { store, names in
      try store.migrate(to: note(optional, 3))
      try store.save(names.insert("Note", fixtureID(2), ["text": .null]))
      let before = try RecordStore.backups(of: store.url)
      #expect(before.count == 1)
      let next = note(required, 4)
      for _ in 0..<4 {
        #expect(throws: Failure.self) {
          _ = try store.migrate { session in
            try session.advance(to: next)
            throw Failure()
          }
        }
      }
      #expect(try RecordStore.backups(of: store.url) == before)
      try store.migrate(to: next)
      #expect(try RecordStore.backups(of: store.url).map(\.schemaVersion.major) == [1, 3])
    }
  }

  // The names alone were compared, so 10.0.0 stood before 2.0.0.
  @Test func `copies of one second stand in the order in which they were made`() throws {
    let clock = ManualClock()
    let temporary = try TemporaryStore(schema: note(optional, 9), clock: clock.wallClock)
    let store = temporary.store
    let names = try FixtureNames(store)
    for version in [9, 11, 13, 15] {
      try store.save(names.insert("Note", fixtureID(UInt64(version)), ["text": .null]))
      try store.migrate(to: note(required, version + 1))
      try store.migrate(to: note(optional, version + 2))
    }
    let backups = try RecordStore.backups(of: store.url)
    #expect(backups.map(\.schemaVersion.major) == [11, 13, 15])
    #expect(Set(backups.map(\.madeAt)).count == 1)
    try temporary.check()
  }

  @Test func `copies of one second that earlier builds made stand in the order of their versions`() throws {
    let folder = URL(fileURLWithPath: "/a/b.store/backups", isDirectory: true)
    let versions = ["1.10.0", "1.2.0", "1.2.0+", "1.9.0", "1.2.10"]
    let copies = try versions.map { version in
      try #require(StoreBackup(folder.appendingPathComponent("20260102T030405Z-\(version)", isDirectory: true)))
    }
    let names = copies.sorted().map { String($0.name.dropFirst(17)) }
    #expect(names == ["1.2.0", "1.2.10", "1.9.0", "1.10.0", "1.2.0+"])
  }

  @Test func `restoring brings the old records and schema back and keeps what was replaced`() throws {
    try withMigrated { store, names in
      try store.save(names.insert("Note", fixtureID(2), ["text": .string("later")]))
      let backup = try #require(try RecordStore.backups(of: store.url).first)
      let (replica, clock) = try store.read { (try $0.replica, try $0.clockStamp) }
      let last = try store.read { try $0.lastTransactionNumber }
      let replaced = try store.restore(backup)

      let old = try RecordStore.open(store.configuration, schema: note(optional, 1))
      #expect(try old.value("Note", fixtureID(1), "text") == .null)
      #expect(try !old.isVisible("Note", fixtureID(2)))
      #expect(try old.read { $0.catalogue.schemaVersion } == SchemaVersion(1, 0, 0))
      #expect(try old.read { try $0.replica } != replica)
      #expect(try old.read { try $0.formerReplicas.map(\.replica) }.contains(replica))
      #expect(try old.read { try $0.clockStamp } >= clock)
      let token = #expect(throws: StoreError.self) { _ = try old.read { try $0.history(after: last) } }
      #expect(token?.code == .historyTokenExpired)
      // What the copy had of its own to tell others is still there.
      var outgoing = 0
      try old.read {
        try $0.forEachOutgoing(of: replica, after: 0) { _ in
          outgoing += 1
          return true
        }
      }
      #expect(outgoing == 1)
      try old.save(names.insert("Note", fixtureID(3), ["text": .null]))
      try expectSound(old)

      // The handle that declared the newer schema is told so.
      let error = #expect(throws: StoreError.self) {
        try store.save(names.insert("Note", fixtureID(4), ["text": .string("x")]))
      }
      #expect(error?.code == .incompatibleSchema)

      #expect(replaced.schemaVersion == SchemaVersion(2, 0, 0))
      try old.restore(replaced)
      let again = try RecordStore.open(store.configuration, schema: note(required, 2))
      #expect(try again.value("Note", fixtureID(2), "text") == .string("later"))
      #expect(try store.value("Note", fixtureID(1), "text") == .string("-"))
    }
  }

  @Test func `a damaged copy is not restored`() throws {
    try withMigrated { store, _ in
      let backup = try #require(try RecordStore.backups(of: store.url).first)
      let file = try FileHandle(forWritingTo: backup.url.appendingPathComponent("data.mdb"))
      try file.truncate(atOffset: 5000)
      try file.close()
      #expect(storeErrorCode { try store.restore(backup) } == .damaged)
      #expect(try store.value("Note", fixtureID(1), "text") == .string("-"))
    }
  }

  @Test func `names that are no copies are left alone`() throws {
    try withMigrated { store, _ in
      let folder = store.url.appendingPathComponent("backups")
      for name in ["notes", "20260101T000000Z-1.0", "2026-1.0.0", ".unfinished"] {
        try FileManager.default.createDirectory(
          at: folder.appendingPathComponent(name), withIntermediateDirectories: false)
      }
      #expect(try RecordStore.backups(of: store.url).count == 1)
    }
  }
}
