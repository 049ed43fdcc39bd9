import Foundation
import LMDB
import RecordStore
import TestSupport
import Testing

/// What a small durable save writes: pages of LMDB's trees, which are what it costs.
struct SavedPagesTests {
  /// A record of some 250 bytes with a random unique value and an index of two attributes.
  private static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Subscription",
      attributes: [
        AttributeDefinition(name: "id", type: .uuid), AttributeDefinition(name: "name", type: .string),
        AttributeDefinition(name: "amount", type: .double), AttributeDefinition(name: "frequency", type: .string),
        AttributeDefinition(name: "nextBillingDate", type: .date),
        AttributeDefinition(name: "category", type: .string), AttributeDefinition(name: "createdAt", type: .date),
        AttributeDefinition(name: "notes", type: .string),
      ],
      uniquenessConstraints: [["id"]], indexes: [IndexDefinition("category", "nextBillingDate")])
  ])

  private struct Source {
    let names: FixtureNames
    var generator: SeededGenerator
    var number = 0

    mutating func next() -> RecordChange {
      number += 1
      let random = generator.next()
      let words = (generator.next(), generator.next())
      let note = "Paid by card, to be ended by letter one month before the year is over; client number "
      return names.insert(
        "Subscription", RecordIDGenerator.shared.next(),
        [
          "id": .uuid(UUID(uuid: withUnsafeBytes(of: words) { $0.loadUnaligned(as: uuid_t.self) })),
          "name": .string("Subscription \(1_000_000 + number)"), "amount": .double(Double(random % 10_000) / 100),
          "frequency": .string(["weekly", "monthly", "quarterly", "yearly"][Int(random >> 20 % 4)]),
          "nextBillingDate": .date(Date(timeIntervalSinceReferenceDate: Double(random >> 8 % 3_650) * 86_400)),
          "category": .string(["professional", "personal"][Int(random >> 32 % 2)]),
          "createdAt": .date(Date(timeIntervalSinceReferenceDate: Double(number))),
          "notes": .string(note + String(1_000_000 + number)),
        ])
    }

    mutating func request(_ count: Int) -> SaveRequest { SaveRequest(changes: (0..<count).map { _ in next() }) }
  }

  /// As deep as with 100,000: all trees of the records have three levels.
  @Test(arguments: [40_000, 4_000])
  func `a durable save of one record writes at most fourteen pages, in fewer ranges`(recordsASave: Int) throws {
    let temporary = try TemporaryStore(schema: Self.schema) { $0.mapSizeBytes = 1 << 30 }
    let store = temporary.store
    var source = Source(names: try FixtureNames(store), generator: .announced())
    while source.number < 40_000 { _ = try store.commit(source.request(recordsASave)) }
    let environment = try Environment.open(at: store.url.path)
    let written = try environment.averagePagesWritten(commits: 50) { _ = try store.commit(source.request(1)) }
    #expect(written.pages <= 14, "\(written.pagesByTree)")
    #expect(written.ranges < written.pages)
    // The state and the names of transactions have no pages of their own.
    #expect(written.pagesByTree["meta"] == nil)
    #expect(written.pagesByTree["dots"] == nil)
  }
}
