import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The check of the invariants finds each breach of each of them: all other tests lean on it. Invariant 20 is that of
/// ``ExternalValueTests``.
struct IntegrityCheckTests {
  struct Defect: Sendable, CustomTestStringConvertible {
    let invariant: Int
    let title: String
    let plant: @Sendable (borrowing WriteTransaction, DefectTables) throws -> Void
    var testDescription: String { "\(invariant): \(title)" }

    init(
      _ invariant: Int, _ title: String,
      _ plant: @escaping @Sendable (borrowing WriteTransaction, DefectTables) throws -> Void
    ) {
      (self.invariant, self.title, self.plant) = (invariant, title, plant)
    }
  }

  private static let late = Stamp(
    epoch: 0, wallMilliseconds: 1_900_000_000_000, counter: 0, replica: ReplicaID(1))
  private static let early = Stamp(epoch: 0, wallMilliseconds: 1_000, counter: 0, replica: ReplicaID(1))

  static let stored: [Defect] = [
    Defect(1, "a header with a flipped bit") { transaction, tables in
      var header = try #require(try transaction.view.get(tables.databases.meta, key: StoreHeader.key)).copied()
      header[30] ^= 1
      try transaction.put(tables.databases.meta, key: StoreHeader.key, value: header)
    },
    Defect(1, "a catalogue that changed without a new generation") { transaction, tables in
      var catalogue = tables.layout.catalogue
      catalogue.entities[0].fields[0].isOptional.toggle()
      try transaction.put(
        tables.databases.meta, key: CatalogueTable.key, value: CatalogueTable.encode(catalogue))
    },
    Defect(2, "a row with a key of fifteen bytes") { transaction, tables in
      try transaction.put(tables.rows("Note"), key: Array(fixtureID(12).bytes.dropLast()), value: [1])
    },
    Defect(2, "a hidden record of an entity that is not there") { transaction, tables in
      let key = HiddenTable.key(RecordKey(entity: 99, id: fixtureID(1)))
      try transaction.put(tables.databases.hidden, key: key, value: [1])
    },
    Defect(2, "a hidden record without an id") { transaction, tables in
      try transaction.put(tables.databases.hidden, key: HiddenTable.prefix(0), value: [1])
    },
    Defect(3, "a row with a flipped bit") { transaction, tables in
      let key = fixtureID(12).bytes
      var row = try #require(try transaction.view.get(tables.rows("Note"), key: key)).copied()
      row[row.count - 1] ^= 1
      try transaction.put(tables.rows("Note"), key: key, value: row)
    },
    Defect(3, "a row under the id of another record") { transaction, tables in
      let row = try #require(try transaction.view.get(tables.rows("Note"), key: fixtureID(12).bytes)).copied()
      try transaction.put(tables.rows("Note"), key: fixtureID(77).bytes, value: row)
    },
    Defect(3, "a value of another length than its type has") { transaction, tables in
      let ordinal = tables.names.ordinal("Note", "x")
      try tables.rewrite("Note", 12, in: transaction) { $0.set(.bool(true), at: ordinal, stamp: $0.touch ?? .zero) }
    },
    Defect(3, "a hidden record that is cut") { transaction, tables in
      let key = HiddenTable.key(tables.key("Tag", 9))
      let row = try #require(try transaction.view.get(tables.databases.hidden, key: key)).copied()
      try transaction.put(tables.databases.hidden, key: key, value: Array(row.dropLast()))
    },
    Defect(4, "a record in its table and among the hidden ones") { transaction, tables in
      let row = try #require(try transaction.view.get(tables.rows("Note"), key: fixtureID(12).bytes)).copied()
      try transaction.put(tables.databases.hidden, key: HiddenTable.key(tables.key("Note", 12)), value: row)
    },
  ]

  static let seen: [Defect] = [
    Defect(5, "a living record that is hidden") { transaction, tables in
      let row = try #require(try transaction.view.get(tables.rows("Note"), key: fixtureID(12).bytes)).copied()
      try transaction.delete(tables.rows("Note"), key: fixtureID(12).bytes)
      try transaction.put(tables.databases.hidden, key: HiddenTable.key(tables.key("Note", 12)), value: row)
    },
    Defect(5, "a deleted record that is visible") { transaction, tables in
      let key = HiddenTable.key(tables.key("Tag", 9))
      let row = try #require(try transaction.view.get(tables.databases.hidden, key: key)).copied()
      try transaction.delete(tables.databases.hidden, key: key)
      try transaction.put(tables.rows("Tag"), key: fixtureID(9).bytes, value: row)
    },
    Defect(5, "a record that is visible without what it requires") { transaction, tables in
      let key = HiddenTable.key(tables.key("Stop", 14))
      let row = try #require(try transaction.view.get(tables.databases.hidden, key: key)).copied()
      try transaction.delete(tables.databases.hidden, key: key)
      try transaction.put(tables.rows("Stop"), key: fixtureID(14).bytes, value: row)
    },
    Defect(5, "a visible record whose insert was never seen") { transaction, tables in
      try tables.rewrite("Note", 12, in: transaction) { $0.isInserted = false }
    },
    Defect(5, "a visible record whose delete is later than its touch") { transaction, tables in
      try tables.rewrite("Note", 12, in: transaction) { $0.deleted = late }
    },
    Defect(6, "a reference that dangles although its target is there") { transaction, tables in
      try tables.rewrite("Stop", 4, dangling: [tables.names.ordinal("Stop", "city")], in: transaction)
    },
    Defect(6, "a one-to-one that two records show") { transaction, tables in
      try tables.rewrite("Pass", 10, in: transaction)
    },
    Defect(6, "a later one-to-one that dangles for the earlier one") { transaction, tables in
      try tables.rewrite("Pass", 11, dangling: [tables.names.ordinal("Pass", "trip")], in: transaction)
    },
  ]

  static let derived: [Defect] = [
    Defect(7, "an entry of a unique index that is missing") { transaction, tables in
      try tables.removeFirst(of: tables.index("City", "name"), in: transaction)
    },
    Defect(7, "an entry of a unique index that names another record") { transaction, tables in
      let index = tables.index("City", "name")
      try transaction.put(index, key: tables.firstKey(of: index, in: transaction), value: fixtureID(99).bytes)
    },
    Defect(7, "an entry of another index that is missing") { transaction, tables in
      try tables.removeFirst(of: tables.index("Trip", "rating"), in: transaction)
    },
    Defect(7, "an entry too many") { transaction, tables in
      var key = KeyEncoder()
      key.append(.int(5))
      try transaction.put(tables.index("Trip", "rating"), key: key.bytes + fixtureID(1).bytes, value: [])
    },
    Defect(7, "an entry with the value from before an edit") { transaction, tables in
      try tables.rewrite("Trip", 1, in: transaction) { [ordinal = tables.names.ordinal("Trip", "rating")] in
        $0.set(.int(9), at: ordinal, stamp: $0.touch ?? .zero)
      }
    },
    Defect(8, "a reference of a hidden record that is not entered") { transaction, tables in
      try tables.removeFirst(of: tables.databases.backReferences, in: transaction)
    },
    Defect(8, "a reference of a visible record that is entered beside its index") { transaction, tables in
      let key = BackReferenceTable.key(
        target: fixtureID(1), holder: tables.key("Stop", 3), ordinal: tables.names.ordinal("Stop", "trip"))
      try transaction.put(tables.databases.backReferences, key: key, value: [])
    },
    Defect(9, "a hidden unique value that is not entered") { transaction, tables in
      try tables.removeFirst(of: tables.databases.claims, in: transaction)
    },
    Defect(9, "a unique value that its index shows already") { transaction, tables in
      let index = try #require(tables.layout.catalogue.entity(named: "City")?.indexes.first { $0.isUnique })
      var key = KeyEncoder()
      key.append(.string("Kyiv"))
      let claim = ClaimTable.key(ClaimKey(index: index.number, bytes: key.bytes), id: fixtureID(7))
      try transaction.put(tables.databases.claims, key: claim, value: [])
    },
    Defect(10, "two visible records with one unique value") { transaction, tables in
      let ordinal = tables.names.ordinal("City", "name")
      try tables.rewrite("City", 7, in: transaction) {
        $0.set(.string("Lviv"), at: ordinal, stamp: $0.touch ?? .zero)
      }
    },
    Defect(10, "records that are one and held no value together") { transaction, tables in
      try tables.rewrite("City", 5, in: transaction) { [ordinal = tables.names.ordinal("City", "name")] in
        $0.set(.string("Odesa"), at: ordinal, stamp: $0.touch ?? .zero)
      }
      let own = tables.key("City", 5)
      var facts = try tables.facts(own, in: transaction)
      facts.set(.string("Odesa"), at: tables.names.ordinal("City", "name"), stamp: facts.touch ?? .zero)
      try transaction.put(
        tables.classes.originals, key: OriginalTable.key(own, own.id), value: tables.bytes(facts))
    },
    Defect(15, "a visible record that lacks a required value") { transaction, tables in
      let ordinal = tables.names.ordinal("Stop", "trip")
      try tables.rewrite("Stop", 3, in: transaction) { $0.set(.null, at: ordinal, stamp: $0.touch ?? .zero) }
    },
  ]

  static let named: [Defect] = [
    Defect(11, "an alias that leads to a greater id") { transaction, tables in
      try transaction.put(tables.databases.aliases, key: fixtureID(60).bytes, value: fixtureID(61).bytes)
    },
    Defect(11, "an alias that leads to another alias") { transaction, tables in
      try transaction.put(tables.databases.aliases, key: fixtureID(60).bytes, value: fixtureID(6).bytes)
    },
    Defect(11, "an alias that is a record") { transaction, tables in
      try transaction.put(tables.databases.aliases, key: fixtureID(7).bytes, value: fixtureID(5).bytes)
    },
    Defect(11, "an alias of no record") { transaction, tables in
      try transaction.put(tables.databases.aliases, key: fixtureID(60).bytes, value: fixtureID(5).bytes)
    },
    Defect(11, "an alias that is no id") { transaction, tables in
      try transaction.put(tables.databases.aliases, key: [1, 2], value: fixtureID(5).bytes)
    },
    Defect(11, "a row that names an alias") { transaction, tables in
      let ordinal = tables.names.ordinal("Stop", "city")
      try tables.rewrite("Stop", 4, in: transaction) {
        $0.set(.reference(fixtureID(6)), at: ordinal, stamp: $0.touch ?? .zero)
      }
    },
    Defect(16, "a shared record that is not kept as written") { transaction, tables in
      let key = OriginalTable.key(tables.key("City", 5), fixtureID(6))
      try transaction.delete(tables.classes.originals, key: key)
    },
    Defect(16, "a record on its own that is kept as written") { transaction, tables in
      let key = tables.key("Note", 12)
      let facts = try tables.facts(key, in: transaction)
      try transaction.put(
        tables.classes.originals, key: OriginalTable.key(key, key.id), value: tables.bytes(facts))
    },
    Defect(16, "a record as written that has no row") { transaction, tables in
      let facts = RecordFacts(entity: tables.names.entity("Note"), id: fixtureID(70), isInserted: true, touch: early)
      let key = OriginalTable.key(tables.key("Note", 12), fixtureID(70))
      try transaction.put(tables.classes.originals, key: key, value: tables.bytes(facts))
    },
    Defect(16, "a record as written under half a key") { transaction, tables in
      let key = OriginalTable.prefix(tables.key("City", 5))
      try transaction.put(tables.classes.originals, key: key, value: [1])
    },
    Defect(16, "a record as written that is damaged") { transaction, tables in
      let key = OriginalTable.key(tables.key("City", 5), fixtureID(6))
      try transaction.put(tables.classes.originals, key: key, value: [1, 2, 3])
    },
    Defect(16, "a row that is not the join of its records") { transaction, tables in
      try tables.rewrite("City", 5, in: transaction) { $0.touch = early }
    },
    Defect(17, "a past value that is newer than the present one") { transaction, tables in
      let write = PastWrite(ordinal: tables.names.ordinal("Trip", "name"), stamp: late, value: .string("c"))
      try transaction.put(
        tables.classes.pastWrites, key: PastWriteTable.key(tables.key("Trip", 1), write),
        value: PastWriteTable.value(of: write))
    },
    Defect(17, "a past value of a record that is not there") { transaction, tables in
      let write = PastWrite(ordinal: tables.names.ordinal("Trip", "name"), stamp: early, value: .string("c"))
      try transaction.put(
        tables.classes.pastWrites, key: PastWriteTable.key(tables.key("Trip", 70), write),
        value: PastWriteTable.value(of: write))
    },
    Defect(17, "a former holder that is not found by its value") { transaction, tables in
      try tables.removeFirst(of: tables.classes.heldKeys, in: transaction)
    },
    Defect(17, "a holder of what it never held") { transaction, tables in
      let index = try #require(tables.layout.catalogue.entity(named: "City")?.indexes.first { $0.isUnique })
      let key = ClaimTable.key(ClaimKey(index: index.number, bytes: [1]), id: fixtureID(7))
      try transaction.put(tables.classes.heldKeys, key: key, value: [])
    },
  ]

  static let told: [Defect] = [
    Defect(12, "a transaction that is missing between two") { transaction, tables in
      try HistoryTail(transaction.view).move(to: tables.databases.history, in: transaction)
      try transaction.delete(tables.databases.history, key: HistoryTable.key(3))
    },
    Defect(12, "history that goes on behind its newest number") { transaction, tables in
      try tables.state(in: transaction) { $0.lastNumber -= 1 }
    },
    Defect(13, "a name in table dots that history tells") { transaction, tables in
      let entry = try #require(try HistoryTable(transaction.view, tables.layout).entry(2))
      let member = try #require(entry.transactions.first)
      try DotTable.put(member.dot, number: 2, stamp: member.stamp, tables.layout, in: transaction)
    },
    Defect(13, "a stream that ends before the version vector says") { transaction, tables in
      try tables.state(in: transaction) { state in
        for replica in state.versionVector.entries.keys { state.versionVector.entries[replica]?.sequence += 1 }
      }
    },
    Defect(13, "a stream with falling stamps") { transaction, tables in
      try tables.rewriteHistory(2, in: transaction) { entry in
        let stamp = entry.transactions[0].stamp
        entry.transactions[0].stamp = Stamp(time: 1, counter: 0, replica: stamp.replica)
      }
    },
    Defect(14, "a record that is newer than the clock") { transaction, tables in
      try tables.state(in: transaction) { $0.clock.seen = early }
    },
    Defect(18, "a once key under the name of another") { transaction, tables in
      let entry = try #require(
        try OnceTable(transaction.view, tables.layout).entry(of: OnceKey("effect")))
      try transaction.put(tables.once, key: OnceKey("other").digest, value: OnceTable.encode(entry))
    },
    Defect(18, "a once key with an entry that is damaged") { transaction, tables in
      try transaction.put(tables.once, key: OnceKey("other").digest, value: [1, 2, 3, 4, 5, 6])
    },
    Defect(18, "a once key without a run") { transaction, tables in
      let entry = OnceEntry(key: try OnceKey("other"), runs: [])
      try transaction.put(tables.once, key: entry.key.digest, value: OnceTable.encode(entry))
    },
    Defect(18, "a once key whose runs fall") { transaction, tables in
      let entry = OnceEntry(
        key: try OnceKey("other"), runs: [early, Stamp(time: 1, counter: 0, replica: ReplicaID(1))])
      try transaction.put(tables.once, key: entry.key.digest, value: OnceTable.encode(entry))
    },
    Defect(18, "a once key that ran after the clock") { transaction, tables in
      let entry = OnceEntry(key: try OnceKey("other"), runs: [late])
      try transaction.put(tables.once, key: entry.key.digest, value: OnceTable.encode(entry))
    },
    Defect(18, "a once key of a record and of history that the ledger lost") { transaction, tables in
      try transaction.delete(tables.once, key: OnceKey("effect").digest)
    },
    Defect(19, "an entry that had seen less than the one before") { transaction, tables in
      try tables.rewriteHistory(5, in: transaction) { entry in
        for replica in (entry.seen ?? VersionVector()).entries.keys { entry.seen?.entries[replica]?.sequence = 1 }
      }
    },
    Defect(19, "an entry that had not seen its own transaction") { transaction, tables in
      try tables.rewriteHistory(1, in: transaction) { $0.seen = VersionVector() }
    },
    Defect(19, "an entry of an earlier build behind one of this build") { transaction, tables in
      try tables.rewriteHistory(4, in: transaction) { $0.seen = nil }
    },
    Defect(19, "an entry that had seen more than the store") { transaction, tables in
      try tables.state(in: transaction) { state in
        for replica in state.versionVector.entries.keys { state.versionVector.entries[replica]?.sequence = 1 }
      }
    },
  ]

  @Test func `the store in which defects are planted is sound`() throws {
    let defects = try DefectStore()
    #expect(try defects.store.integrityViolations() == [])
    for table in try defects.store.statistics().tables where table.name != "classclaims" {
      // Rows of entities of which the store has no record.
      let isEmpty = try table.name.hasPrefix("e") || table.name.hasPrefix("x") || isOfTrimmedHistory(table.name)
      #expect(isEmpty || table.entries > 0, "table \(table.name) is empty, so no defect of it is planted")
    }
  }

  /// Tables in which only history that was trimmed, or another layer, has entries.
  private func isOfTrimmedHistory(_ name: String) throws -> Bool {
    ["dots", "contexts", "attachments", "history"].contains(name)
  }

  /// Each defect in a transaction of its own that is given up, so that one store serves them all.
  @Test(arguments: [stored, seen, derived, named, told])
  func `a defect is told under the number of its invariant`(defects: [Defect]) throws {
    let store = try DefectStore()
    for defect in defects {
      let violations = try store.violations(after: defect.plant)
      #expect(violations.contains { $0.hasPrefix("invariant \(defect.invariant): ") }, "\(defect): \(violations)")
    }
    #expect(try store.store.integrityViolations() == [])
  }

  /// So that an invariant whose table of defects is emptied is noticed.
  @Test func `each invariant but that of files has a defect`() {
    let planted = Set((Self.stored + Self.seen + Self.derived + Self.named + Self.told).map(\.invariant))
    #expect(planted == Set(1...19))
  }

  /// A state that cannot be read leaves nothing to compare with.
  @Test func `a damaged state ends the check with an error`() throws {
    let defects = try DefectStore()
    let code = storeErrorCode {
      _ = try defects.violations { transaction, _ in
        var state = try #require(try transaction.view.get(.main, key: StoreState.key)).copied()
        state[state.count - 1] ^= 1
        try transaction.put(.main, key: StoreState.key, value: state)
      }
    }
    #expect(code == .damaged)
  }
}
