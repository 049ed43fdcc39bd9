import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Stores of earlier formats, as they are read, and as the first write leaves them.
struct FormatUpgradeTests {
  private func withGolden(_ name: String, _ body: (StoreConfiguration) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appending(path: "old.store")
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../SyncFixtures/golden/\(name)/data.mdb").standardizedFileURL
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: golden, to: url.appending(path: "data.mdb"))
    try body(StoreConfiguration(url: url, createsIfMissing: false, durability: .unsafeNoFlush))
  }

  private func changes(
    _ snapshot: borrowing StoreSnapshot, after number: UInt64, except others: Set<UInt64> = []
  ) throws -> [HistoryChange] {
    var changes: [HistoryChange] = []
    try snapshot.forEachChange(after: number, except: others) { changes.append($0) }
    return changes
  }

  private func has(_ store: RecordStore, _ key: [UInt8], in database: (NamedDatabases) -> Database) throws -> Bool {
    try store.read { snapshot throws in
      try snapshot.transaction.get(database(snapshot.layout.databases), key: key) != nil
    }
  }

  @Test(arguments: ["store-1", "store-2"])
  func `a reader sees the same history and state before and after the first write`(name: String) throws {
    try withGolden(name) { configuration in
      var reading = configuration
      reading.isReadOnly = true
      let (store, reader) = (try RecordStore.open(configuration), try RecordStore.open(reading))
      let (history, state) = try reader.read { (try $0.history(after: 0), try $0.state) }
      #expect(!history.isEmpty)
      #expect(try has(store, StoreState.formerKey) { $0.meta })
      // A new id, for the file is a copy; no transaction yet.
      try store.confirmIdentity()
      #expect(try store.statistics().formatVersion == 3)
      #expect(try reader.read { try $0.history(after: 0) } == history)
      #expect(try reader.read { try $0.state } == state)
      #expect(try !has(store, StoreState.formerKey) { $0.meta })
      #expect(try has(store, StoreState.key) { _ in .main })
      let names = try FixtureNames(store)
      try store.save(names.insert("Tag", fixtureID(900), ["name": .string("new")]))
      #expect(try reader.read { try $0.lastTransactionNumber } == state.lastNumber + 1)
      #expect(try reader.read { try $0.history(after: 0) }.dropLast() == history[...])
      for transaction in history {
        #expect(try reader.read { try $0.historyTransaction(with: transaction.stamp) } == transaction)
      }
      try expectSound(store)
    }
  }

  @Test func `a store of format 3 reads, with its records, its history and the names of what was trimmed`() throws {
    try withGolden("store-3") { configuration in
      let store = try RecordStore.open(configuration)
      #expect(try store.statistics().formatVersion == 3)
      #expect(try store.value("Tag", fixtureID(1), "name") == .string("golden"))
      #expect(try store.related("Trip", fixtureID(2), "tags") == [fixtureID(1)])
      #expect(try store.value("Trip", fixtureID(2), "rating") == .int(5))
      try store.read { snapshot throws in
        let history = try snapshot.history(after: 2)
        #expect(history.map(\.number) == Array(3...13))
        #expect(try snapshot.lastTransactionNumber == 13)
        #expect(history.filter(\.isMerge).map(\.number) == [12])
        #expect(history[1].author == "an importer")
        #expect(history[1].changes.count == 40)
        #expect(try changes(snapshot, after: 2) == history.flatMap(\.changes))
        let others = history.filter { ![4, 13].contains($0.number) }
        #expect(try changes(snapshot, after: 2, except: [4, 13]) == others.flatMap(\.changes))
        #expect(try changes(snapshot, after: 12) == history.last?.changes)
        #expect(try changes(snapshot, after: 13).isEmpty)
        #expect(storeErrorCode { _ = try changes(snapshot, after: 1) } == .historyTokenExpired)
        // The oldest of them in their table, the newest in the tail.
        #expect(try snapshot.transaction.get(snapshot.layout.databases.history, key: HistoryTable.key(4)) != nil)
        #expect(try HistoryTail(snapshot.transaction).last() == 13)
        let table = HistoryTable(snapshot.transaction, snapshot.layout)
        let numbers = try (1...12).map { try table.number(of: Dot(replica: snapshot.replica, sequence: $0)) }
        #expect(numbers == Array(1...11) + [13])
        #expect(try snapshot.versionVector.entries.count == 2)
        var sent: [UInt64] = []
        try snapshot.forEachOutgoing(after: 0) { outgoing in
          sent.append(outgoing.dot.sequence)
          return true
        }
        #expect(sent == Array(3...12))
      }
      try expectSound(store)
      // It came by copying, so it is another's.
      let replica = try store.read { try $0.replica }
      #expect(try store.confirmIdentity() != replica)
      try expectSound(store)
    }
  }

  @Test func `a catalogue of a later format is refused with both numbers`() throws {
    var bytes = try CatalogueTable.encode(Catalogue())
    bytes[12] = 5
    let checksum = Array(bytes[12...]).withRawBytes { $0.checksum }
    bytes.replaceSubrange(8..<12, with: withUnsafeBytes(of: checksum.littleEndian) { Array($0) })
    let error = #expect(throws: StoreError.self) {
      try bytes.withRawBytes { (bytes: RawBytes) throws -> Catalogue in try CatalogueTable.decode(bytes) }
    }
    #expect(error?.code == .newerFormat)
    #expect(error?.message.contains("format 5, this build reads up to 4") == true)
  }

  /// What readers of an earlier build that have the store open try to read when its generation has risen.
  @Test func `the catalogue of format 3 is no JSON for builds that know no format of it`() throws {
    let body = Array(try CatalogueTable.encode(Catalogue()).dropFirst(12))
    let error = #expect(throws: StoreError.self) {
      try body.withRawBytes { (bytes: RawBytes) throws -> Catalogue in try CatalogueTable.decodeAnyhow(bytes) }
    }
    #expect(error?.code == .newerFormat)
  }
}
