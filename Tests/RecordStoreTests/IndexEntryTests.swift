import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The entries of indexes after each kind of change, with keys put together by hand from the IndexKeys article.
struct IndexEntryTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let saves: [String]
    /// The entries of each index by its name, in the order of their keys.
    let entries: [String: [String]]
    var testDescription: String { title }

    init(_ title: String, _ saves: [String], _ entries: [String: [String]]) {
      (self.title, self.saves, self.entries) = (title, saves, entries)
    }
  }

  /// The integer's eight bytes with the sign bit inverted, behind the byte of a value.
  private static func int(_ value: Int64) -> String {
    "01" + hex(withUnsafeBytes(of: (UInt64(bitPattern: value) ^ 1 << 63).bigEndian) { Array($0) })
  }
  private static func text(_ value: String) -> String { "01" + hex(Array(value.utf8)) + "00" }
  private static func id(_ number: UInt64) -> String {
    "0190000000000000" + hex(withUnsafeBytes(of: number.bigEndian) { Array($0) })
  }
  private static func reference(_ number: UInt64) -> String { "01" + id(number) }
  private static let null = "00"
  static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
  private static func unique(_ key: String, _ holder: UInt64) -> String { key + " = " + id(holder) }

  private static let trip = "insert Trip 1 name=a"

  static let rows: [Row] = [
    Row("an empty store", [], ["Trip.name": [], "Trip.rating": [], "Stop.trip.position": []]),
    Row(
      "an insert with defaults", [trip],
      [
        "Trip.name": [unique(text("a"), 1)], "Trip.rating": [int(3) + id(1)],
        "Trip.start.name": [null + text("a") + id(1)],
      ]),
    Row(
      "a negative number stands before others", [trip + " rating=-1", "insert Trip 2 name=b rating=0"],
      ["Trip.rating": [int(-1) + id(1), int(0) + id(2)]]),
    Row(
      "equal values stand by id", ["insert Trip 2 name=b", trip], ["Trip.rating": [int(3) + id(1), int(3) + id(2)]]),
    Row(
      "an update moves the entries of what it changed, and no other", [trip, "update Trip 1 rating=5"],
      ["Trip.name": [unique(text("a"), 1)], "Trip.rating": [int(5) + id(1)]]),
    Row(
      "an update of a component of two keys moves both", [trip, "update Trip 1 name=b"],
      ["Trip.name": [unique(text("b"), 1)], "Trip.start.name": [null + text("b") + id(1)]]),
    Row(
      "the same value again", [trip, "update Trip 1 name=a rating=3"],
      ["Trip.name": [unique(text("a"), 1)], "Trip.rating": [int(3) + id(1)]]),
    Row(
      "back and forth in one save", [trip, "update Trip 1 rating=5; update Trip 1 rating=3"],
      ["Trip.rating": [int(3) + id(1)]]),
    Row(
      "a delete takes all entries", [trip, "delete Trip 1"],
      ["Trip.name": [], "Trip.rating": [], "Trip.start.name": []]),
    Row(
      "inserted and deleted in one save", [trip + "; delete Trip 1"], ["Trip.name": [], "Trip.rating": []]),
    Row(
      "a deleted value is free for another record", [trip, "delete Trip 1", "insert Trip 2 name=a"],
      ["Trip.name": [unique(text("a"), 2)], "Trip.rating": [int(3) + id(2)]]),
    Row(
      "two records change their unique values with each other",
      [trip, "insert Trip 2 name=b", "update Trip 1 name=b; update Trip 2 name=a"],
      ["Trip.name": [unique(text("a"), 2), unique(text("b"), 1)]]),
    Row(
      "an insert with a taken value is an update of its holder", [trip, "insert Trip 2 name=a rating=5"],
      ["Trip.name": [unique(text("a"), 1)], "Trip.rating": [int(5) + id(1)]]),
    Row(
      "a compound unique key with a reference", [trip, "insert Stop 3 trip=#1; insert Stop 4 trip=#1 position=2"],
      [
        "Stop.trip.position": [
          unique(reference(1) + int(0), 3), unique(reference(1) + int(2), 4),
        ], "Stop.city": [null + id(3), null + id(4)],
      ]),
    Row(
      "a reference moves to another target",
      [trip, "insert City 5 name=x; insert City 6 name=y", "insert Stop 3 trip=#1 city=#5", "update Stop 3 city=#6"],
      ["Stop.city": [reference(6) + id(3)]]),
    Row(
      "a reference to a record that goes reads as nil in its index",
      [trip, "insert Stop 3 trip=#1; insert Stop 4 trip=#1 position=1 next=#3", "delete Stop 3"],
      ["Stop.next": [null + id(4)], "Stop.trip.position": [unique(reference(1) + int(1), 4)]]),
    Row(
      "a cascade takes the entries below, too", [trip, "insert Stop 3 trip=#1", "delete Trip 1"],
      ["Trip.name": [], "Stop.trip.position": [], "Stop.city": [], "Stop.next": []]),
    Row(
      "the later holder of a one-to-one has the entry", [trip, "insert Pass 8 trip=#1", "insert Pass 9 trip=#1"],
      ["Pass.trip": [null + id(8), reference(1) + id(9)]]),
    Row(
      "a zero byte in a text is written as two", ["insert Trip 1 name=a\u{0}b; insert Trip 2 name=a\u{1}b"],
      ["Trip.name": [unique("01" + "61" + "0101" + "62" + "00", 1), unique("01" + "61" + "0102" + "62" + "00", 2)]]),
    Row(
      "a text stands in its composed form", ["insert Trip 1 name=e\u{301}"],
      ["Trip.name": [unique("01" + "c3a9" + "00", 1)]]),
    Row(
      "a text comes before what continues it", ["insert Trip 1 name=ab; insert Trip 2 name=a; insert Trip 3 name=b"],
      ["Trip.name": [unique(text("a"), 2), unique(text("ab"), 1), unique(text("b"), 3)]]),
  ]

  @Test(arguments: rows) func `an index has an entry for each visible record, with what readers see`(row: Row) throws {
    try withTemporaryStore { store throws in
      let script = try RuleScript(store)
      for save in row.saves { _ = try store.commit(SaveRequest(changes: script.changes(save))) }
      for (name, entries) in row.entries {
        #expect(try Self.entries(of: name, in: store) == entries, "\(name)")
      }
    }
  }

  /// Both devices end with the entries of what both show.
  static let merged: [(title: String, a: String, b: String, entries: [String: [String]])] = [
    (
      "one field on both: the later one", "update Trip 1 rating=4", "update Trip 1 rating=5",
      ["Trip.rating": [int(5) + id(1)]]
    ),
    (
      "two fields", "update Trip 1 rating=4", "update Trip 1 name=b",
      ["Trip.rating": [int(4) + id(1)], "Trip.name": [unique(text("b"), 1)]]
    ),
    (
      "a delete and a later edit", "delete Trip 1", "update Trip 1 rating=5",
      ["Trip.rating": [int(5) + id(1)], "Trip.name": [unique(text("a"), 1)]]
    ),
    (
      "an edit and a later delete", "update Trip 1 rating=5", "delete Trip 1", ["Trip.rating": [], "Trip.name": []]
    ),
    (
      "one unique value in two new records: the smaller id shows both", "insert Trip 8 name=z rating=1",
      "insert Trip 9 name=z rating=2",
      ["Trip.name": [unique(text("a"), 1), unique(text("z"), 8)], "Trip.rating": [int(2) + id(8), int(3) + id(1)]]
    ),
    (
      "a record below one that was deleted", "delete Trip 1", "insert Stop 3 trip=#1",
      [
        "Trip.name": [unique(text("a"), 1)], "Stop.trip.position": [unique(reference(1) + int(0), 3)],
      ]
    ),
  ]

  @Test(arguments: merged)
  func `after a merge the entries are those of what is seen`(
    title: String, a: String, b: String, entries: [String: [String]]
  ) throws {
    let family = try ReplicaFamily(count: 2)
    let script = try RuleScript(family.stores[0].store)
    func save(_ text: String, on device: Int) throws {
      for clock in family.clocks { clock.advance() }
      _ = try family.stores[device].store.commit(SaveRequest(changes: script.changes(text)))
    }
    try save(Self.trip, on: 0)
    try family.pull(into: 1, from: 0)
    try save(a, on: 0)
    try save(b, on: 1)
    try family.exchangeAll()
    for device in 0...1 {
      for (name, expected) in entries {
        #expect(try Self.entries(of: name, in: family.stores[device].store) == expected, "\(name) of \(device)")
      }
    }
    try family.check()
  }

  private static let box = AttributeDefinition(name: "size", type: .int, isOptional: true)
  private static let label = AttributeDefinition(name: "label", type: .string)

  private static func schema(_ version: Int, _ edit: (inout EntityDefinition) -> Void = { _ in }) -> StoreSchema {
    var entity = EntityDefinition(name: "Box", attributes: [box, label])
    edit(&entity)
    return StoreSchema(version: SchemaVersion(version, 0, 0), entities: [entity])
  }

  /// An index that comes later has the entries that it would have had from the beginning.
  static let built: [(title: String, index: IndexDefinition, isUnique: Bool, entries: [String])] = [
    ("ascending", IndexDefinition("size"), false, [null + id(2), int(-1) + id(3), int(7) + id(1)]),
    (
      "descending: all bytes inverted", IndexDefinition(components: [.init("size", isDescending: true)]), false,
      [inverted(int(7)) + id(1), inverted(int(-1)) + id(3), inverted(null) + id(2)]
    ),
    (
      "compound", IndexDefinition("size", "label"), false,
      [null + text("b") + id(2), int(-1) + text("c") + id(3), int(7) + text("a") + id(1)]
    ),
    ("unique, with a nil", IndexDefinition("size"), true, [null + id(2), unique(int(-1), 3), unique(int(7), 1)]),
    (
      "as people expect", IndexDefinition(components: [.init("label", isForPeople: true)]), false,
      ["01" + "10" + "00" + id(1), "01" + "11" + "00" + id(2), "01" + "12" + "00" + id(3)]
    ),
  ]

  private static func inverted(_ hex: String) -> String {
    String(hex.map { Character(String(15 - $0.hexDigitValue!, radix: 16)) })
  }

  @Test(arguments: built)
  func `an index of a later schema has the entries of the records that were there`(
    title: String, index: IndexDefinition, isUnique: Bool, entries: [String]
  ) throws {
    let later = Self.schema(2) {
      if isUnique { $0.uniquenessConstraints = [index.components.map(\.field)] } else { $0.indexes = [index] }
    }
    try withTemporaryStore(schema: Self.schema(1)) { store throws in
      let script = try RuleScript(store)
      let save = "insert Box 1 size=7 label=a; insert Box 2 label=b; insert Box 3 size=-1 label=c"
      _ = try store.commit(SaveRequest(changes: script.changes(save)))
      try store.migrate(to: later)
      let name = (["Box"] + index.components.map(\.field)).joined(separator: ".")
      #expect(try Self.entries(of: name, in: store) == entries)
      // And keeps them up from then on.
      _ = try store.commit(SaveRequest(changes: script.changes("delete Box 1; delete Box 2; delete Box 3")))
      #expect(try Self.entries(of: name, in: store) == [])
    }
  }

  /// The entries of an index, named by its entity and fields, without the number of the index.
  static func entries(of name: String, in store: RecordStore) throws -> [String] {
    try store.read { snapshot throws in
      let parts = name.split(separator: ".").map(String.init)
      let entity = try #require(snapshot.catalogue.entity(named: parts[0]))
      let ordinals = parts.dropFirst().map { entity.field(named: $0)?.ordinal }
      let index = try #require(entity.indexes.first { $0.components.map(\.ordinal) == ordinals })
      var found: [String] = []
      try snapshot.transaction.forEachKey(in: snapshot.layout.databases.index(index.number), startingWith: []) {
        key, value in
        found.append(hex(key.copied()) + (value.count > 0 ? " = " + hex(value.copied()) : ""))
      }
      return found
    }
  }
}
