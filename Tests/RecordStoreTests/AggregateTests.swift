import Foundation
import RecordStore
import TestSupport
import Testing

/// Each function over each type, by the tables of ``ValueLadder``, with an index and without.
struct AggregateTests {
  private static let numbers: [FieldType] = [.int, .uint, .double, .decimal]
  private static let ordered: [FieldType] = numbers + [.date, .string]

  /// The values of the field `left`, once for each record.
  private func values(_ pairs: LadderStore) -> [LadderStore.Value] { pairs.records.map(\.left) }

  @Test(arguments: FieldType.allCases, [false, true])
  func `counts are of records, of values, and of values that differ`(type: FieldType, isIndexed: Bool) throws {
    let pairs = LadderStore(type, isIndexed: isIndexed)
    let ladder = ValueLadder.of(type)
    try pairs.run { snapshot, pair, left, _ throws in
      let request = AggregateQuery(
        RecordQuery(entity: pair), functions: [.count, .countValues(left), .countDistinct(left)])
      // Not-a-number is one value among those that differ, however it is written.
      let distinct = ladder.steps.count + (ladder.unordered.isEmpty ? 0 : 1)
      #expect(
        try snapshot.aggregate(request).map(\.values) == [
          [.count(pairs.records.count), .count(values(pairs).count { $0.value != .null }), .count(distinct)]
        ])
    }
  }

  @Test(arguments: FieldType.allCases, [false, true])
  func `groups are by Swift's equality, nil first and not-a-number last`(type: FieldType, isIndexed: Bool) throws {
    let pairs = LadderStore(type, isIndexed: isIndexed)
    let ladder = ValueLadder.of(type)
    try pairs.run { snapshot, pair, left, _ throws in
      let rows = try snapshot.aggregate(AggregateQuery(RecordQuery(entity: pair), keys: [left], functions: [.count]))
      let groups = [[.null]] + ladder.steps + (ladder.unordered.isEmpty ? [] : [ladder.unordered])
      let width = pairs.values.count
      #expect(rows.map(\.values) == groups.map { [.count($0.count * width)] })
      for (row, group) in zip(rows, groups) {
        #expect(group.contains { $0.isIdentical(to: row.keys[0]) || $0 == row.keys[0] || ladder.unordered == group })
      }
    }
  }

  @Test(arguments: ordered, [false, true])
  func `the least and the greatest value are the ends of the order, without nil and not-a-number`(
    type: FieldType, isIndexed: Bool
  ) throws {
    let pairs = LadderStore(type, isIndexed: isIndexed)
    let steps = ValueLadder.of(type).steps
    try pairs.run { snapshot, pair, left, right throws in
      for path in [left, right] {
        #expect(try value(.minimum(path), of: pair, in: snapshot) == .value(steps[0][0]))
        #expect(try value(.maximum(path), of: pair, in: snapshot) == .value(steps[steps.count - 1][0]))
        for (step, values) in steps.enumerated() {
          let others = RecordFilter.compare(path, .notEqual, values[0])
          if step == 0 { #expect(try value(.minimum(path), others, of: pair, in: snapshot) == .value(steps[1][0])) }
          #expect(
            try value(.maximum(path), .compare(path, .lessOrEqual, values[0]), of: pair, in: snapshot).map {
              isOne(of: values, $0)
            } == true)
        }
        #expect(try value(.minimum(path), .compare(path, .equal, .null), of: pair, in: snapshot) == .value(.null))
        #expect(try value(.maximum(path), .none, of: pair, in: snapshot) == .value(.null))
      }
    }
  }

  /// Alone, as an index may give it, and together with another one.
  private func value(
    _ function: AggregateFunction, _ filter: RecordFilter = .all, of entity: EntityNumber,
    in snapshot: borrowing StoreSnapshot
  ) throws -> AggregateValue? {
    let query = RecordQuery(entity: entity, filter: filter)
    let alone = try snapshot.aggregate(AggregateQuery(query, functions: [function]))
    let together = try snapshot.aggregate(AggregateQuery(query, functions: [.count, function]))
    #expect(alone.first?.values.first == together.first?.values.last)
    return alone.first?.values.first
  }

  private func isOne(of values: [FieldValue], _ value: AggregateValue) -> Bool {
    if case .value(let value) = value { values.contains(value) } else { false }
  }

  @Test(arguments: FieldType.allCases) func `what has no sum or no order is refused with its type`(type: FieldType)
    throws
  {
    let pairs = LadderStore(type, isIndexed: true)
    try pairs.run { snapshot, pair, left, _ throws in
      let sum = error(.sum(left), of: pair, in: snapshot)
      #expect((sum == nil) == Self.numbers.contains(type))
      if let sum { #expect(sum.code == .invalidRequest && sum.message.contains("\(type)")) }
      for function in [AggregateFunction.minimum(left), .maximum(left)] {
        let extreme = error(function, of: pair, in: snapshot)
        #expect((extreme == nil) == Self.ordered.contains(type))
        if let extreme { #expect(extreme.code == .invalidRequest && extreme.message.contains("\(type)")) }
      }
    }
  }

  /// With another function, so that no index answers it.
  private func error(
    _ function: AggregateFunction, of entity: EntityNumber, in snapshot: borrowing StoreSnapshot
  ) -> StoreError? {
    do {
      _ = try snapshot.aggregate(AggregateQuery(RecordQuery(entity: entity), functions: [.count, function]))
      return nil
    } catch { return error as? StoreError }
  }

  @Test func `sums of whole numbers go beyond 64 bits, and those of nothing are zero`() throws {
    for type in [FieldType.int, .uint] {
      let pairs = LadderStore(type, isIndexed: false)
      let sum = values(pairs).reduce(0 as Int128) { sum, value in
        switch value.value {
        case .int(let number): sum + Int128(number)
        case .uint(let number): sum + Int128(number)
        default: sum
        }
      }
      try pairs.run { snapshot, pair, left, _ throws in
        #expect(try value(.sum(left), .all, of: pair, in: snapshot) == .integer(sum))
        #expect(try value(.sum(left), .none, of: pair, in: snapshot) == .integer(0))
        #expect(try value(.sum(left), .compare(left, .equal, .null), of: pair, in: snapshot) == .integer(0))
      }
    }
  }

  @Test func `sums of doubles keep what addition rounds away, and spread infinities and not-a-number`() throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Row",
        attributes: [
          AttributeDefinition(name: "group", type: .int),
          AttributeDefinition(name: "value", type: .double, isOptional: true),
        ])
    ])
    let groups: [(values: [Double?], sum: Double)] = [
      ([1e100, 1, -1e100], 1), ([1, 1e100, 1, -1e100], 2), (Array(repeating: 0.1, count: 10), 1), ([nil, nil], 0),
      ([nil, 2.5], 2.5), ([.infinity, 1], .infinity), ([-.infinity, 1], -.infinity), ([.infinity, -.infinity], .nan),
      ([.nan, 1], .nan), ([.greatestFiniteMagnitude, .greatestFiniteMagnitude], .infinity),
    ]
    try withTemporaryStore(schema: schema) { store throws in
      let names = try FixtureNames(store)
      var changes: [RecordChange] = []
      for (number, group) in groups.enumerated() {
        for value in group.values {
          let fields: [String: FieldValue] = [
            "group": .int(Int64(number)), "value": value.map { .double($0) } ?? .null,
          ]
          changes.append(names.insert("Row", fixtureID(UInt64(changes.count)), fields))
        }
      }
      _ = try store.commit(SaveRequest(changes: changes))
      let (group, value) = (FieldPath(names.ordinal("Row", "group")), FieldPath(names.ordinal("Row", "value")))
      let request = AggregateQuery(
        RecordQuery(entity: names.entity("Row")), keys: [group], functions: [.sum(value), .count])
      let rows = try store.read { try $0.aggregate(request) }
      try #require(rows.count == groups.count)
      for (row, expected) in zip(rows, groups) {
        guard case .double(let sum) = row.values[0] else {
          Issue.record("a sum of doubles is a double")
          continue
        }
        #expect(sum == expected.sum || sum.isNaN && expected.sum.isNaN, "the sum of \(expected.values)")
        #expect(row.values[1] == .count(expected.values.count))
      }
    }
  }

  @Test func `without keys there is one group, with keys as many as there are, and with none of them none`() throws {
    let pairs = LadderStore(.bool, isIndexed: false)
    try pairs.run { snapshot, pair, left, right throws in
      let nothing = RecordQuery(entity: pair, filter: .none)
      #expect(try snapshot.aggregate(AggregateQuery(nothing, functions: [.count])).map(\.values) == [[.count(0)]])
      #expect(try snapshot.aggregate(AggregateQuery(nothing, keys: [left], functions: [.count])).isEmpty)
      let both = try snapshot.aggregate(
        AggregateQuery(RecordQuery(entity: pair), keys: [left, right], functions: [.count]))
      let keys: [FieldValue] = [.null, .bool(false), .bool(true)]
      #expect(both.map(\.keys) == keys.flatMap { left in keys.map { [left, $0] } })
      #expect(both.allSatisfy { $0.values == [.count(1)] })
    }
  }

  @Test func `a window cuts the records before anything is computed`() throws {
    let pairs = LadderStore(.int, isIndexed: true)
    try pairs.run { snapshot, pair, left, _ throws in
      for isDescending in [false, true] {
        var query = RecordQuery(
          entity: pair, filter: .compare(left, .notEqual, .null), sort: [.init(left, isDescending: isDescending)])
        (query.limit, query.offset) = (pairs.values.count, pairs.values.count)
        let row = try #require(
          try snapshot.aggregate(AggregateQuery(query, functions: [.minimum(left), .maximum(left), .count])).first)
        // The second step from its end: as many records as there are values.
        let second = FieldValue.int(isDescending ? 256 : -256)
        #expect(row.values == [.value(second), .value(second), .count(pairs.values.count)])
      }
    }
  }
}
