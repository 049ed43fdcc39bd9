import LMDB
import Synchronization
import TestSupport

@testable import RecordStore

/// A sound store with an entry in every table, in which a test plants one defect at a time: what it writes goes past
/// all rules, into the tables.
///
/// ```
/// Trip 1 "b", once "a" · Trip 2 "once", by the once key "effect" · Stop 3 of trip 1 · Stop 4 of trip 1, in city 5
/// City 5 "Lviv", shared with City 6 · City 7 "Kyiv" · Tag 9, deleted · Pass 10, which lost trip 1 to Pass 11
/// Note 12 · Stop 14, whose trip 13 is not there: it waits unseen
/// ```
struct DefectStore {
  private let family: ReplicaFamily
  let names: FixtureNames
  var store: RecordStore { family.stores[0].store }

  init() throws {
    // Tables with defects would not pass the check that ends a test of a temporary store.
    family = try ReplicaFamily(count: 2)
    names = try FixtureNames(family.stores[0].store)
    let (script, store) = (try RuleScript(family.stores[0].store), family.stores[0].store)
    func save(_ text: String, on device: Int = 0) throws {
      for clock in family.clocks { clock.advance() }
      _ = try family.stores[device].store.commit(SaveRequest(changes: script.changes(text)))
    }
    try save("insert Trip 1 name=a")
    try save("update Trip 1 name=b")
    try save("insert City 5 name=Lviv; insert City 7 name=Kyiv")
    try save("insert Stop 3 trip=#1; insert Stop 4 trip=#1 position=1 city=#5")
    try save("insert Tag 9 name=x; insert Note 12")
    try save("delete Tag 9")
    try save("insert Pass 10 trip=#1")
    try save("insert Pass 11 trip=#1")
    let effect = names.insert("Trip", fixtureID(2), ["name": .string("once")])
    _ = try store.commit(SaveRequest(changes: [effect], once: OnceKey("effect")))
    try save("insert City 6 name=Lviv", on: 1)
    try save("insert Trip 13 name=unseen", on: 1)
    try save("insert Stop 14 trip=#13", on: 1)
    try save("delete Trip 13", on: 1)
    try family.pull(into: 0, from: 1)
  }

  /// What the check says of the store with a defect, which is taken back then.
  func violations(
    after defect: @escaping @Sendable (borrowing WriteTransaction, DefectTables) throws -> Void
  ) throws -> [String] {
    let names = names
    let found = Mutex<[String]?>(nil)
    do {
      try store.write { transaction, layout throws -> (Void, StoreLayout) in
        try defect(transaction, DefectTables(layout: layout, names: names))
        let snapshot = StoreSnapshot(transaction: transaction.view, layout: layout)
        let violations = try IntegrityCheck.violations(in: snapshot, values: nil) { _ in }
        found.withLock { $0 = violations }
        throw TakenBack()
      }
    } catch is TakenBack {
      // The check was made, and nothing of the defect is to stay.
    }
    return found.withLock { $0 } ?? []
  }

  private struct TakenBack: Error {}
}

/// The tables of a ``DefectStore`` inside a transaction that plants a defect.
struct DefectTables {
  let layout: StoreLayout
  let names: FixtureNames
  var databases: NamedDatabases { layout.databases }
  var classes: ClassTables {
    guard let classes = databases.classTables else { preconditionFailure("a new store has all tables") }
    return classes
  }
  var once: Database {
    guard let once = databases.once else { preconditionFailure("a new store has all tables") }
    return once
  }

  func key(_ entity: String, _ number: UInt64) -> RecordKey {
    RecordKey(entity: names.entity(entity), id: fixtureID(number))
  }

  func rows(_ entity: String) -> Database { databases.records[names.entity(entity)] }

  /// An index by the names of its fields.
  func index(_ entity: String, _ fields: String...) -> Database {
    let ordinals = fields.map { names.ordinal(entity, $0) }
    let index = names.catalogue.entities[names.entity(entity)].indexes.first {
      $0.components.map(\.ordinal) == ordinals
    }
    guard let index else { preconditionFailure("the fixture has no index of \(entity) on \(fields)") }
    return databases.index(index.number)
  }

  func facts(_ key: RecordKey, in transaction: borrowing WriteTransaction) throws -> RecordFacts {
    let snapshot = StoreSnapshot(transaction: transaction.view, layout: layout)
    guard let facts = try snapshot.facts(key.id, of: key.entity) else {
      preconditionFailure("the store of defects has no record \(key.id)")
    }
    return facts
  }

  func bytes(_ facts: RecordFacts, dangling: [Int] = []) throws -> [UInt8] {
    let count = names.catalogue.entities[facts.entity].fields.count
    return try RecordEncoding(facts, fieldCount: count, dangling: dangling).bytes()
  }

  /// Writes a visible record's row again, with other facts.
  func rewrite(
    _ entity: String, _ number: UInt64, dangling: [Int] = [], in transaction: borrowing WriteTransaction,
    _ edit: (inout RecordFacts) -> Void = { _ in }
  ) throws {
    let key = key(entity, number)
    var facts = try facts(key, in: transaction)
    edit(&facts)
    try transaction.put(rows(entity), key: key.id.bytes, value: bytes(facts, dangling: dangling))
  }

  func state(in transaction: borrowing WriteTransaction, _ edit: (inout StoreState) -> Void) throws {
    var state = try MetaTable(transaction.view, databases.meta, path: "").state()
    edit(&state)
    try state.write(to: transaction)
  }

  /// Takes all history to its table and writes one entry of it again.
  func rewriteHistory(
    _ number: UInt64, in transaction: borrowing WriteTransaction, _ edit: (inout HistoryEntry) -> Void
  ) throws {
    try HistoryTail(transaction.view).move(to: databases.history, in: transaction)
    let table = HistoryTable(transaction.view, layout)
    guard let bytes = try table.bytes(of: number), var entry = try table.entry(number) else {
      preconditionFailure("the store of defects has no transaction \(number)")
    }
    edit(&entry)
    let written = entry.encoded(with: OutgoingBytes(try HistoryEntry.outgoing(of: bytes)))
    try transaction.put(databases.history, key: HistoryTable.key(number), value: written)
  }

  /// The first key of a table.
  func firstKey(of table: Database, in transaction: borrowing WriteTransaction) throws -> [UInt8] {
    var cursor = try transaction.view.cursor(table)
    guard let key = try cursor.first()?.key.copied() else { preconditionFailure("the table \(table.name) is empty") }
    return key
  }

  func removeFirst(of table: Database, in transaction: borrowing WriteTransaction) throws {
    try transaction.delete(table, key: firstKey(of: table, in: transaction))
  }
}

extension RecordID {
  /// As in keys.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }
}
