import TestSupport
import Testing

@testable import RecordStore

/// Losses of one-to-one targets and of unique values that depend on each other in a circle: whatever the order in which
/// they arrive, every store shows the same.
///
/// The integrity check of each store works out from all facts at once who must be visible.
struct LossCircleTests {
  private static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Guest",
      attributes: [
        AttributeDefinition(name: "code", type: .int, isOptional: true),
        AttributeDefinition(name: "seat", type: .int, isOptional: true),
      ],
      relationships: [
        RelationshipDefinition(name: "host", destination: "Guest", deleteRule: .nullify, inverse: "guests"),
        RelationshipDefinition(
          name: "guests", destination: "Guest", isToMany: true, deleteRule: .cascade, inverse: "host"),
        RelationshipDefinition(name: "key", destination: "Key", isOptional: false, inverse: "guest"),
        RelationshipDefinition(name: "room", destination: "Room", isOptional: false, inverse: "guest"),
      ], uniquenessConstraints: [["code"], ["seat"]]),
    EntityDefinition(
      name: "Key", relationships: [RelationshipDefinition(name: "guest", destination: "Guest", inverse: "key")]),
    EntityDefinition(
      name: "Room", relationships: [RelationshipDefinition(name: "guest", destination: "Guest", inverse: "room")]),
  ])

  /// One record with a claim on each key and room, at a time; each claim is a transaction of a replica of its own.
  private struct Claims {
    let names: FixtureNames
    private(set) var transactions: [TransactionFacts] = []
    /// Of the next writes: whose transactions their authors knew.
    var known: (TransactionFacts) -> Bool = { _ in false }

    init(_ names: FixtureNames) { self.names = names }

    /// Things that exist before anybody claims them.
    mutating func make(_ entity: String, _ number: UInt64) {
      write(RecordFacts(entity: names.entity(entity), id: fixtureID(number), isInserted: true), at: 1)
    }

    mutating func claim(_ guest: UInt64, _ field: String, _ value: FieldValue, at time: UInt64) {
      var facts = RecordFacts(entity: names.entity("Guest"), id: fixtureID(guest), isInserted: true)
      facts.set(value, at: names.ordinal("Guest", field), stamp: .zero)
      write(facts, at: time)
    }

    mutating func delete(_ guest: UInt64, at time: UInt64) {
      var facts = RecordFacts(entity: names.entity("Guest"), id: fixtureID(guest))
      facts.deleted = .zero
      write(facts, at: time)
    }

    private mutating func write(_ facts: RecordFacts, at time: UInt64) {
      let replica = ReplicaID(UInt64(transactions.count + 1_000))
      let stamp = Stamp(epoch: 0, wallMilliseconds: 1_800_000_000_000 + time, counter: 0, replica: replica)
      var facts = facts
      if facts.deleted != nil { facts.deleted = stamp } else { facts.touch = stamp }
      for register in facts.registers { facts.set(register.value, at: register.ordinal, stamp: stamp) }
      let seen = transactions.filter { $0.stamp < stamp && known($0) }
      let context = VersionVector(
        entries: Dictionary(uniqueKeysWithValues: seen.map { ($0.dot.replica, .init(sequence: 1, stamp: $0.stamp)) }))
      transactions.append(
        TransactionFacts(
          dot: Dot(replica: replica, sequence: 1), stamp: stamp, author: nil, context: context, records: [facts]))
    }
  }

  /// The guests that stores show to which the transactions came in several orders; one answer, or the test has failed.
  private func guests(
    _ transactions: [TransactionFacts], orders: Int, _ generator: inout SeededGenerator
  ) throws -> [RecordID] {
    var first: (dump: String, guests: [RecordID])?
    for order in 0..<orders {
      let family = try ReplicaFamily(count: 1, schema: Self.schema)
      for transaction in order == 0 ? transactions : transactions.shuffled(using: &generator) {
        try family.merge([transaction], into: 0)
      }
      try family.check()
      let dump = try family.dump(0)
      let store = family.stores[0].store
      let ids = (1...9).map { fixtureID($0) }
      let found = (dump: dump, guests: try ids.filter { try store.isVisible("Guest", $0) })
      if let first { #expect(found.dump == first.dump && found.guests == first.guests) } else { first = found }
    }
    return first?.guests ?? []
  }

  private func claims(_ make: (inout Claims) -> Void) throws -> [TransactionFacts] {
    let family = try ReplicaFamily(count: 1, schema: Self.schema)
    var claims = Claims(try FixtureNames(family.stores[0].store))
    for number in 20..<26 { claims.make("Key", UInt64(number)) }
    for number in 30..<36 { claims.make("Room", UInt64(number)) }
    make(&claims)
    return claims.transactions
  }

  private func key(_ number: UInt64) -> FieldValue { .reference(fixtureID(20 + number)) }
  private func room(_ number: UInt64) -> FieldValue { .reference(fixtureID(30 + number)) }

  @Test func `of two records that took a target from each other the one with the latest claim is seen`() throws {
    var generator = SeededGenerator.announced("LossCircleTests")
    let transactions = try claims { claims in
      claims.claim(1, "key", key(0), at: 10)
      claims.claim(2, "key", key(0), at: 20)
      claims.claim(2, "room", room(0), at: 30)
      claims.claim(1, "room", room(0), at: 40)
    }
    #expect(try guests(transactions, orders: 8, &generator) == [fixtureID(1)])
  }

  @Test func `of three that lose to each other in a circle, the one that beat the latest claim's record is seen`()
    throws
  {
    var generator = SeededGenerator.announced("LossCircleTests")
    let transactions = try claims { claims in
      claims.claim(1, "key", key(0), at: 10)
      claims.claim(1, "room", room(1), at: 11)
      claims.claim(2, "key", key(0), at: 20)
      claims.claim(2, "room", room(0), at: 30)
      claims.claim(3, "code", .int(7), at: 31)
      claims.claim(3, "key", key(1), at: 32)
      claims.claim(3, "room", room(0), at: 40)
      // An author that had seen the other's value, so that the two are not one.
      claims.known = { _ in true }
      claims.claim(1, "code", .int(7), at: 60)
    }
    // The loss to the latest claim, of 3 to 1, counts: 2 has the room, and 1 loses the key to it.
    #expect(try guests(transactions, orders: 8, &generator) == [fixtureID(2)])
  }

  @Test(arguments: 0..<24) func `claims in any order of arrival show the same records`(run: Int) throws {
    var generator = SeededGenerator.announced("LossCircleTests \(run)")
    let family = try ReplicaFamily(count: 1, schema: Self.schema)
    var claims = Claims(try FixtureNames(family.stores[0].store))
    for number in 0..<3 {
      claims.make("Key", 20 + UInt64(number))
      claims.make("Room", 30 + UInt64(number))
    }
    let count = UInt64.random(in: 2...6, using: &generator)
    for _ in 0..<Int.random(in: 6...30, using: &generator) {
      let guest = UInt64.random(in: 1...count, using: &generator)
      let time = UInt64.random(in: 2...60, using: &generator)
      let choice = UInt64.random(in: 0..<3, using: &generator)
      let seen = Set(claims.transactions.map(\.dot.replica).filter { _ in generator.oneIn(2) })
      claims.known = { seen.contains($0.dot.replica) }
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<7: claims.claim(guest, "key", key(choice), at: time)
      case 7..<14: claims.claim(guest, "room", room(choice), at: time)
      case 14: claims.claim(guest, "code", .int(Int64(choice)), at: time)
      case 15: claims.claim(guest, "seat", .int(Int64(choice)), at: time)
      case 16, 17:
        let host = UInt64.random(in: 1...count, using: &generator)
        claims.claim(guest, "host", .reference(fixtureID(host)), at: time)
      default: claims.delete(guest, at: time)
      }
    }
    _ = try guests(claims.transactions, orders: 5, &generator)
  }
}
