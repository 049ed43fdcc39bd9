import Foundation
import RecordStore
import StoreInspection
import TestSupport
import Testing

@testable import CommandLineTool

/// Pages of records one behind the other, as the live page turns them.
struct RecordPageTests {
  private static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Sample",
      attributes: [
        AttributeDefinition(name: "text", type: .string, isOptional: true),
        AttributeDefinition(name: "number", type: .double, isOptional: true),
        AttributeDefinition(name: "price", type: .decimal, isOptional: true),
        AttributeDefinition(name: "flag", type: .bool, isOptional: true),
        AttributeDefinition(name: "day", type: .date, isOptional: true),
        AttributeDefinition(name: "rank", type: .int),
      ], indexes: [IndexDefinition("text"), IndexDefinition("number"), IndexDefinition("rank")])
  ])

  private static let texts = ["", "a", "a", "b", "é", "e\u{301}", "z", String(repeating: "x", count: 700)]
  private static let numbers: [Double] = [.nan, -.infinity, .infinity, 0, -0.0, 1, 1, 1.5]

  private func value(_ values: [FieldValue], _ generator: inout SeededGenerator) -> FieldValue {
    Int.random(in: 0..<5, using: &generator) == 0 ? .null : values.randomElement(using: &generator) ?? .null
  }

  private func withSamples(_ count: Int, seed: UInt64, _ body: (RecordStore, Catalogue) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appendingPathComponent("samples.store")
    let store = try RecordStore.open(StoreConfiguration(url: url, durability: .unsafeNoFlush), schema: Self.schema)
    var generator = SeededGenerator(seed: seed)
    let changes = (0..<count).map { number in
      RecordChange.insert(
        entity: 0, id: RecordID(high: UInt64(number), low: 1),
        fields: [
          FieldWrite(0, value(Self.texts.map { .string($0) }, &generator)),
          FieldWrite(1, value(Self.numbers.map { .double($0) }, &generator)),
          FieldWrite(2, value([.decimal(.nan), .decimal(0), .decimal(-3), .decimal(12.5)], &generator)),
          FieldWrite(3, value([.bool(true), .bool(false)], &generator)),
          FieldWrite(4, value(Self.numbers.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }, &generator)),
          FieldWrite(5, .int(Int64(number % 7))),
        ])
    }
    _ = try store.commit(SaveRequest(changes: changes))
    try body(store, try store.read { $0.catalogue })
  }

  /// All pages of a query, their records joined.
  private func pages(_ query: RecordQuery, of count: Int, in snapshot: borrowing StoreSnapshot) throws -> [RecordID] {
    var ids: [RecordID] = []
    var position: RecordPage.Position?
    repeat {
      let page = try RecordPage(query, after: position, count: count, in: snapshot)
      #expect(page.records.count == count || page.next == nil)
      ids += page.records.map(\.id)
      position = page.next
    } while position != nil && ids.count <= 10_000
    return ids
  }

  @Test(arguments: [1 as UInt64, 2, 3]) func `pages joined are the whole list, in every order and under conditions`(
    seed: UInt64
  ) throws {
    try withSamples(150, seed: seed) { store, _ throws in
      let filters: [RecordFilter] = [
        .all, .compare(FieldPath(5), .greater, .int(3)), .compare(FieldPath(0), .notEqual, .null),
      ]
      try store.read { snapshot in
        for filter in filters {
          for (field, isDescending) in (0..<6).flatMap({ [($0, true), ($0, false)] }) {
            let key = RecordQuery.SortKey(FieldPath(field), isDescending: isDescending)
            let query = RecordQuery(entity: 0, filter: filter, sort: [key])
            let all = try snapshot.identifiers(query)
            for count in [1, 7, 150] {
              let joined = try pages(query, of: count, in: snapshot)
              #expect(joined == all, "seed \(seed), field \(field), descending \(isDescending), pages of \(count)")
            }
          }
          let query = RecordQuery(entity: 0, filter: filter)
          #expect(try pages(query, of: 11, in: snapshot) == snapshot.identifiers(query))
        }
      }
    }
  }

  @Test func `a page begins at its place, also when the record that ended the last one was deleted`() throws {
    try withSamples(40, seed: 4) { store, _ throws in
      let query = RecordQuery(entity: 0, sort: [.init(FieldPath(5))])
      let all = try store.read { try $0.identifiers(query) }
      let first = try store.read { try RecordPage(query, after: nil, count: 10, in: $0) }
      _ = try store.commit(SaveRequest(changes: [.delete(entity: 0, id: all[9])]))
      let second = try store.read { try RecordPage(query, after: first.next, count: 10, in: $0) }
      #expect(second.records.map(\.id) == Array(all[10..<20]))
    }
  }

  private func plans(
    of query: RecordQuery, after position: RecordPage.Position, in snapshot: borrowing StoreSnapshot
  ) throws -> [String] {
    var plans: [String] = []
    for var step in try RecordPage.steps(query, after: position, in: snapshot.catalogue) {
      step.limit = 101
      #expect(step.offset == 0)
      plans.append(try snapshot.explain(step))
    }
    return plans
  }

  /// How many records are read follows from the plan: each step ends with its limit, goes on in an index or in the
  /// table, and leaves out nothing that it would have to read.
  @Test func `a page of a long list reads its own records alone, the first as the thousandth`() throws {
    try withSamples(3_000, seed: 5) { store, _ throws in
      let last = RecordPage.Position(id: RecordID(high: 2_900, low: 1), value: .int(3))
      let plain = RecordQuery(entity: 0)
      let sorted = RecordQuery(entity: 0, sort: [.init(FieldPath(5))])
      try store.read { snapshot in
        #expect(try plans(of: plain, after: last, in: snapshot) == ["fetch Sample\n  scan the table\n  limit 101"])
        let steps = try plans(of: sorted, after: last, in: snapshot)
        #expect(steps.count == 2 && steps.allSatisfy { $0.contains("on (rank)") && !$0.contains("sort:") }, "\(steps)")
        let page = try RecordPage(plain, after: last, count: 100, in: snapshot)
        #expect(page.records.first?.id == RecordID(high: 2_901, low: 1) && page.records.count == 99 && page.next == nil)
      }
    }
  }
}
