import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// A save that knows the tables from the one before, and others that write between: through the environment, as another
/// process does, past all that this one keeps in memory.
struct LeftTablesTests {
  private struct Refusal: Error {}

  private struct Parts {
    let temporary: TemporaryStore
    let names: FixtureNames
    let environment: Environment
    var store: RecordStore { temporary.store }

    init() throws {
      temporary = try TemporaryStore()
      names = try FixtureNames(temporary.store)
      environment = try Environment.open(at: temporary.store.url.path)
      // Two, so that the next one finds what the second has left.
      for number in 1...2 as ClosedRange<UInt64> { try save(number) }
    }

    func insert(_ number: UInt64) -> RecordChange {
      names.insert("City", fixtureID(number), ["name": .string("city \(number)")])
    }

    @discardableResult
    func save(_ number: UInt64) throws -> SaveResult { try store.save(insert(number)) }

    /// As another process.
    func write(_ body: (borrowing WriteTransaction, StoreLayout) throws -> Void) throws {
      let layout = store.core.currentLayout
      try environment.write { try body($0, layout) }
    }

    /// A row behind all others, with the values of the first.
    func addRow(_ number: UInt64) throws {
      let entity = names.entity("City")
      try write { transaction, layout throws in
        let snapshot = StoreSnapshot(transaction: transaction.view, layout: layout)
        var facts = try #require(try snapshot.facts(fixtureID(1), of: entity))
        facts.id = fixtureID(number)
        let row = try RecordEncoding(facts, fieldCount: layout.catalogue.entities[entity].fields.count).bytes()
        try transaction.put(layout.databases.records[entity], key: facts.id.bytes, value: row)
      }
    }

    /// Whether the next save finds the tables known.
    func isKnown() throws -> Bool {
      try environment.write { store.core.leftTables.begin($0.view.id) != nil }
    }
  }

  @Test func `a plain save leaves the tables known, and so does the next`() throws {
    let parts = try Parts()
    #expect(try parts.isKnown())
    let result = try parts.save(3)
    #expect(result.isPlain && result.number == 3)
    #expect(try parts.isKnown())
    try parts.temporary.check()
  }

  @Test func `a save with which a record goes, or at which rules look, leaves nothing known`() throws {
    let parts = try Parts()
    try parts.store.save(parts.names.delete("City", fixtureID(1)))
    #expect(try !parts.isKnown())
    try parts.save(3)
    #expect(try parts.isKnown())
    // The unique value of another record.
    try parts.store.save(parts.names.insert("City", fixtureID(4), ["name": .string("city 2")]))
    #expect(try !parts.isKnown())
    try parts.temporary.check()
  }

  @Test func `a save reads the header and the state that another process has left`() throws {
    let parts = try Parts()
    let other = ReplicaID(77)
    try parts.write { transaction, layout throws in
      let meta = MetaTable(transaction.view, layout.databases.meta, path: "")
      var (header, state) = (try meta.header(), try meta.state())
      header.replica = other
      state.lastNumber += 10
      try transaction.put(layout.databases.meta, key: StoreHeader.key, value: header.encoded())
      try state.write(to: transaction)
    }
    let result = try parts.save(3)
    #expect(result.dot == Dot(replica: other, sequence: 1))
    #expect(result.number == 13)
  }

  @Test func `a record that another process has put behind all others is not new`() throws {
    let parts = try Parts()
    try parts.addRow(900)
    let result = try parts.save(900)
    #expect(!result.isPlain)
  }

  /// LMDB gives the number of a transaction that came to nothing to the next one, which may be another process's.
  @Test func `a save that came to nothing leaves nothing known`() throws {
    let parts = try Parts()
    let request = SaveRequest(changes: [parts.insert(3)])
    #expect(throws: Refusal.self) {
      _ = try parts.store.commit({ _ in (request, ()) }) { _, _, _ -> ([StoreAttachment], Void) in throw Refusal() }
    }
    try parts.addRow(900)
    let result = try parts.save(900)
    #expect(!result.isPlain)
  }

  @Test func `tables that a transaction notes count once it has taken place, and for the next number alone`() throws {
    let parts = try Parts()
    let shared = parts.store.core.leftTables
    let isShared = try parts.environment.write { shared.begin($0.view.id) != nil }
    #expect(isShared)
    let left = try #require(shared.take())

    let keeper = LeftTables.Keeper()
    #expect(keeper.begin(5) == nil)
    keeper.note(left)
    // It came to nothing, and another process may have got its number.
    #expect(keeper.begin(6) == nil)
    keeper.note(left)
    keeper.settle()
    #expect(keeper.begin(6) == nil && keeper.begin(8) == nil)
    #expect(keeper.begin(7) === left.layout)
    let taken = keeper.take()
    #expect(taken != nil)
    // Run again, a transaction asks the tables.
    #expect(keeper.begin(7) == nil)
  }

  @Test func `a save after a batch of saves asks the tables`() throws {
    let parts = try Parts()
    try parts.store.batch { store in
      try store.save(parts.insert(3))
      try store.save(parts.names.delete("City", fixtureID(1)))
    }
    #expect(try !parts.isKnown())
    // The id of the deleted record, which is hidden now.
    let result = try parts.store.save(parts.names.insert("City", fixtureID(1), ["name": .string("again")]))
    #expect(!result.isPlain)
    try parts.temporary.check()
  }
}
