import Foundation
import RecordStore
import TestSupport
import Testing

/// What history tells of a save: the records that changed for readers, whatever the save asked for.
struct HistoryRuleTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before: [String]
    let save: String
    /// Sorted.
    let tells: [String]

    init(_ title: String, _ before: [String], _ save: String, tells: [String]) {
      (testDescription, self.before, self.save, self.tells) = (title, before, save, tells)
    }
  }

  private static let trip = "insert Trip 1 name=a; insert Trip 2 name=b"
  private static let stops = "insert Stop 3 trip=#1; insert Stop 4 trip=#1 position=1"

  static let rows: [Row] = [
    Row("an insert", [], "insert Trip 1 name=a", tells: ["insert Trip 1"]),
    Row("two inserts", [], trip, tells: ["insert Trip 1", "insert Trip 2"]),
    Row("an update", [trip], "update Trip 1 rating=5", tells: ["update Trip 1 rating"]),
    Row("an update of two fields", [trip], "update Trip 1 rating=5 price=7", tells: ["update Trip 1 price rating"]),
    Row(
      "two updates of one record", [trip], "update Trip 1 rating=5; update Trip 1 price=7",
      tells: ["update Trip 1 price rating"]),
    Row("an update to the same value", [trip], "update Trip 1 name=a rating=3", tells: []),
    Row("of two values the one that differs", [trip], "update Trip 1 name=a rating=5", tells: ["update Trip 1 rating"]),
    Row("an insert and its update", [], "insert Trip 1 name=a; update Trip 1 rating=5", tells: ["insert Trip 1"]),
    Row("an insert and its delete", [], "insert Trip 1 name=a; delete Trip 1", tells: []),
    Row("a delete", [trip], "delete Trip 1", tells: ["delete Trip 1"]),
    Row("an update and a delete", [trip], "update Trip 1 rating=5; delete Trip 1", tells: ["delete Trip 1"]),
    Row(
      "a delete and an insert", ["insert Trip 1 name=a rating=5"], "delete Trip 1; insert Trip 1 name=b",
      tells: ["update Trip 1 name rating"]),
    Row("an insert of a deleted record", [trip, "delete Trip 1"], "insert Trip 1 name=a", tells: ["insert Trip 1"]),
    Row("a delete of what is not there", [trip], "delete Trip 9", tells: []),
    Row("a cascade", [trip, stops], "delete Trip 1", tells: ["delete Stop 3", "delete Stop 4", "delete Trip 1"]),
    Row(
      "a reference that reads nil", [trip, stops, "update Stop 3 next=#4"], "delete Stop 4",
      tells: ["delete Stop 4", "update Stop 3 next"]),
    Row(
      "a reference that leads again", [trip, stops, "update Stop 3 next=#4", "delete Stop 4"],
      "insert Stop 4 trip=#1 position=1", tells: ["insert Stop 4", "update Stop 3 next"]),
    Row(
      "what comes back with its parent", [trip, stops, "delete Trip 1"], "insert Trip 1 name=a",
      tells: ["insert Stop 3", "insert Stop 4", "insert Trip 1"]),
    Row(
      "a child that came before its parent", [trip], "insert Stop 3 trip=#9; insert Trip 9 name=c",
      tells: ["insert Stop 3", "insert Trip 9"]),
    Row("an insert that is an update", [trip], "insert Trip 9 name=a rating=5", tells: ["update Trip 1 rating"]),
    Row("an insert that changes nothing", [trip], "insert Trip 9 name=a", tells: []),
    Row(
      "a target taken from another", [trip, "insert Pass 5 trip=#1; insert Pass 6"], "update Pass 6 trip=#1",
      tells: ["update Pass 5 trip", "update Pass 6 trip"]),
    Row("a link", [trip, "insert Tag 5 name=x"], "link Trip 1 tags 5", tells: ["insert ~Tag.trips"]),
    Row("a link that is there", [trip, "insert Tag 5 name=x; link Trip 1 tags 5"], "link Trip 1 tags 5", tells: []),
    Row(
      "a link that goes", [trip, "insert Tag 5 name=x; link Trip 1 tags 5"], "unlink Trip 1 tags 5",
      tells: ["delete ~Tag.trips"]),
    Row(
      "a link that goes with one side", [trip, "insert Tag 5 name=x; link Trip 1 tags 5"], "delete Tag 5",
      tells: ["delete Tag 5", "delete ~Tag.trips"]),
    Row("one field of a group", ["insert Note 1 x=1 y=1"], "update Note 1 x=2", tells: ["update Note 1 x"]),
  ]

  private func tells(_ store: RecordStore, after number: UInt64) throws -> [String] {
    let catalogue = try store.read { $0.catalogue }
    let transactions = try store.read { try $0.history(after: number) }
    return transactions.flatMap(\.changes).map { change in
      let entity = catalogue.entities[change.entity]
      let record = entity.isJoin ? "" : " \(change.id.low)"
      return (["\(change.kind) \(entity.name)\(record)"] + change.fields.map { entity.fields[$0].name })
        .joined(separator: " ")
    }.sorted()
  }

  @Test(arguments: rows, [true, false])
  func `history tells what changed for readers and nothing else`(row: Row, savesPlainly: Bool) throws {
    let temporary = try TemporaryStore { $0.savesPlainly = savesPlainly }
    let store = temporary.store
    let script = try RuleScript(store)
    for save in row.before { _ = try store.commit(SaveRequest(changes: script.changes(save))) }
    let number = try store.read { try $0.lastTransactionNumber }
    let result = try store.commit(SaveRequest(author: "test", changes: script.changes(row.save)))
    #expect(try tells(store, after: number) == row.tells)
    // The result of the save tells the same.
    #expect(result.changes.count == row.tells.count)
    let transactions = try store.read { try $0.history(after: number) }
    if let transaction = transactions.first {
      #expect(transaction.number == number + 1 && transaction.number == result.number)
      #expect(transaction.author == "test" && transaction.dot == result.dot && transaction.stamp == result.stamp)
      #expect(!transaction.isMerge)
    }
    try temporary.check()
  }

  /// A device that merges the save has the same to tell its readers.
  @Test(arguments: rows) func `history of a merge tells the same of the other device's save`(row: Row) throws {
    let family = try ReplicaFamily(count: 2)
    let script = try RuleScript(family.stores[0].store)
    for save in row.before {
      family.clocks[0].advance()
      _ = try family.stores[0].store.commit(SaveRequest(changes: script.changes(save)))
    }
    try family.pull(into: 1, from: 0)
    let number = try family.stores[1].store.read { try $0.lastTransactionNumber }
    family.clocks[0].advance()
    _ = try family.stores[0].store.commit(SaveRequest(changes: script.changes(row.save)))
    try family.pull(into: 1, from: 0)
    #expect(try tells(family.stores[1].store, after: number) == row.tells)
    try family.check()
  }

  @Test func `a delete tells the values that the schema preserves, and no other`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try store.save(
        names.insert("Trip", fixtureID(1), ["name": .string("a"), "price": .decimal(7)]),
        names.insert("Trip", fixtureID(2), ["name": .string("b")]))
      let result = try store.save(names.delete("Trip", fixtureID(1)), names.delete("Trip", fixtureID(2)))
      let price = names.ordinal("Trip", "price")
      let preserved = Dictionary(uniqueKeysWithValues: result.changes.map { ($0.id, $0.preserved) })
      #expect(preserved[fixtureID(1)] == [FieldWrite(price, .decimal(7))])
      #expect(preserved[fixtureID(2)]?.allSatisfy { $0 == FieldWrite(price, .null) } == true)
      #expect(try store.read { try $0.history(after: 1) }.last?.changes.inKeyOrder == result.changes.inKeyOrder)
    }
  }
}
