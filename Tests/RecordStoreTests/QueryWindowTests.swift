import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Windows of every order: whatever gives it, a limit and an offset cut what the whole order has, ties by rising id.
struct QueryWindowTests {
  /// Sizes with ties and nil, by the record's number. Texts with ties only people see.
  static let items: [(size: Int64?, name: String)] = [
    (3, "b"), (nil, "a"), (1, "item 10"), (3, "item 9"), (2, "A"), (nil, "b"), (1, "a"), (3, "B"), (0, "item 9"),
    (2, "b"),
  ]

  /// A way to the records: what is asked, and their numbers in the order that Swift gives them.
  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let filter: RecordFilter
    let sort: [RecordQuery.SortKey]
    let numbers: [Int]
    var testDescription: String { title }

    init(_ title: String, _ filter: RecordFilter = .all, sort: [RecordQuery.SortKey] = [], _ numbers: [Int]) {
      (self.title, self.filter, self.sort, self.numbers) = (title, filter, sort, numbers)
    }
  }

  private static let (size, name) = (FieldPath(0), FieldPath(1))

  /// Numbers whose items pass, in order of a key, equal ones in order of their numbers.
  private static func numbers<Key: Comparable>(
    where passes: (Int64?, String) -> Bool = { _, _ in true }, by key: ((Int64?, String)) -> Key,
    isDescending: Bool = false
  ) -> [Int] {
    let keyed = items.indices.filter { passes(items[$0].size, items[$0].name) }.map {
      (key: key(items[$0]), number: $0)
    }
    return keyed.sorted { left, right in
      if left.key == right.key { return left.number < right.number }
      return isDescending ? left.key > right.key : left.key < right.key
    }.map(\.number)
  }

  /// Nil first.
  private static func rank(_ size: Int64?) -> Int64 { size ?? -1 }

  static let rows: [Row] = [
    Row("all, by id", .all, Array(items.indices)),
    Row("some, by id", .compare(size, .equal, .int(3)), [0, 3, 7]),
    Row("a range, by id", .compare(size, .greaterOrEqual, .int(2)), [0, 3, 4, 7, 9]),
    Row("nil alone, by id", .compare(size, .equal, .null), [1, 5]),
    Row("a list, by id", .oneOf(size, [.int(1), .null]), [1, 2, 5, 6]),
    Row("named records, by id", .ids(Set([7, 2, 5].map { fixtureID(UInt64($0)) })), [2, 5, 7]),
    Row("none", .none, []),
    Row("by a field, nil first", sort: [.init(size)], numbers { rank($0.0) }),
    Row(
      "by a field from its end, nil last", sort: [.init(size, isDescending: true)],
      numbers(by: { rank($0.0) }, isDescending: true)),
    Row("by a text as Swift has it", sort: [.init(name)], numbers { $0.1 }),
    Row("by a text from its end", sort: [.init(name, isDescending: true)], numbers(by: { $0.1 }, isDescending: true)),
    Row(
      "by a text as people have it", sort: [.init(name, comparison: .localizedStandard)],
      // a and A by case, then b, then the items by their numbers.
      [1, 6, 4, 0, 5, 9, 7, 3, 8, 2]),
    Row(
      "some, by a field", .compare(name, .equal, .string("b")), sort: [.init(size)],
      numbers(where: { $1 == "b" }, by: { rank($0.0) })),
    Row(
      "a range, by its field", .compare(size, .less, .int(3)), sort: [.init(size, isDescending: true)],
      numbers(where: { size, _ in size.map { $0 < 3 } ?? false }, by: { rank($0.0) }, isDescending: true)),
    Row(
      "by two fields", sort: [.init(size), .init(name, isDescending: true)],
      items.indices.sorted { left, right in
        let (a, b) = (items[left], items[right])
        if rank(a.size) != rank(b.size) { return rank(a.size) < rank(b.size) }
        return a.name != b.name ? a.name > b.name : left < right
      }),
    Row(
      "by the same field twice: the first counts", sort: [.init(size), .init(size, isDescending: true)],
      numbers { rank($0.0) }),
  ]

  /// Without an index, and with some of either kind.
  static let indexes: [(title: String, indexes: [IndexDefinition])] = [
    ("no index", []), ("size", [IndexDefinition("size")]), ("name", [IndexDefinition("name")]),
    (
      "compound",
      [
        IndexDefinition(components: [.init("size"), .init("name", isDescending: true)]),
        IndexDefinition("name", "size"),
      ]
    ),
    ("for people", [IndexDefinition(components: [.init("name", isForPeople: true)])]),
  ]

  private func withItems(_ indexes: [IndexDefinition], _ body: (RecordStore) throws -> Void) throws {
    let entity = EntityDefinition(
      name: "Item",
      attributes: [
        AttributeDefinition(name: "size", type: .int, isOptional: true),
        AttributeDefinition(name: "name", type: .string),
      ], indexes: indexes)
    try withTemporaryStore(schema: StoreSchema(entities: [entity])) { store throws in
      let names = try FixtureNames(store)
      // Not in the order of their ids, so that the order of writing does not give it.
      for number in [4, 9, 0, 7, 2, 5, 8, 1, 6, 3] {
        let item = Self.items[number]
        try store.save(
          names.insert(
            "Item", fixtureID(UInt64(number)),
            ["size": item.size.map { .int($0) } ?? .null, "name": .string(item.name)]))
      }
      try body(store)
    }
  }

  @Test(arguments: indexes)
  func `a window is what it cuts of the whole order`(title: String, indexes: [IndexDefinition]) throws {
    try withItems(indexes) { store throws in
      try store.read { snapshot throws in
        for row in Self.rows {
          let count = row.numbers.count
          for limit in [nil, 0, 1, 2, count - 1, count, count + 1, .max] where limit ?? 0 >= 0 {
            for offset in [0, 1, 2, count - 1, count, count + 1, .max] where offset >= 0 {
              let query = RecordQuery(entity: 0, filter: row.filter, sort: row.sort, limit: limit, offset: offset)
              let window = Array(row.numbers.dropFirst(offset).prefix(limit ?? count))
              let words = "\(row.title), limit \(limit.map(String.init) ?? "none"), offset \(offset)"
              #expect(try snapshot.identifiers(query).map { Int($0.low) } == window, "\(words)")
              #expect(try snapshot.fetch(query).map { Int($0.id.low) } == window, "\(words)")
              #expect(try snapshot.count(query) == window.count, "\(words)")
            }
          }
        }
      }
    }
  }

  /// Pages by the last id of the one before are the whole, without a repetition or a gap.
  @Test(arguments: indexes, 1...4)
  func `pages that go on behind a record are the whole`(row: (title: String, indexes: [IndexDefinition]), size: Int)
    throws
  {
    try withItems(row.indexes) { store throws in
      try store.read { snapshot throws in
        for way in Self.rows where way.sort.isEmpty {
          var (found, last): ([Int], RecordID?) = ([], nil)
          repeat {
            var query = RecordQuery(entity: 0, filter: way.filter, limit: size)
            query.behind = last
            let page = try snapshot.identifiers(query)
            found += page.map { Int($0.low) }
            last = page.last
          } while last != nil && found.count <= Self.items.count
          #expect(found == way.numbers, "\(way.title)")
        }
      }
    }
  }

  @Test func `batches of any size hold the window, until the reader has enough`() throws {
    try withItems([IndexDefinition("size")]) { store throws in
      try store.read { snapshot throws in
        for row in Self.rows {
          for size in [1, 3, 10, 100] {
            let query = RecordQuery(entity: 0, filter: row.filter, sort: row.sort)
            var batches: [[Int]] = []
            try snapshot.forEachBatch(query, of: size) { batch in
              batches.append(batch.map { Int($0.id.low) })
              return true
            }
            #expect(batches.flatMap(\.self) == row.numbers)
            #expect(batches.dropLast().allSatisfy { $0.count == size }, "\(row.title) by \(size)")
            var (seen, calls) = (0, 0)
            try snapshot.forEachBatch(query, of: size) { batch in
              seen += batch.count
              calls += 1
              return calls < 2
            }
            #expect(seen == min(2 * size, row.numbers.count), "\(row.title) by \(size)")
          }
        }
      }
    }
  }
}
