import RecordStore
import TestSupport
import Testing

/// Every comparison of every type with every pair of its values, over records that saves have written, with an index
/// and without: what Swift says of the values by ``ValueLadder``.
struct ComparisonTests {
  private static let types = FieldType.allCases

  @Test(arguments: types, [false, true])
  func `a comparison with a value holds as in Swift, and its negation does not`(type: FieldType, isIndexed: Bool) throws
  {
    let pairs = LadderStore(type, isIndexed: isIndexed)
    try pairs.run { snapshot, pair, left, right throws in
      for comparison in RecordFilter.Comparison.all {
        for constant in pairs.values {
          for (path, isLeft) in [(left, true), (right, false)] {
            let filter = RecordFilter.compare(path, comparison, constant.value)
            let expected = pairs.records.filter { comparison.holds(isLeft ? $0.left : $0.right, constant) }.map(\.id)
            let found = try snapshot.identifiers(RecordQuery(entity: pair, filter: filter))
            #expect(found.sorted() == expected, "\(filter)")
            #expect(
              try snapshot.count(RecordQuery(entity: pair, filter: .not(filter))) == pairs.records.count - found.count)
          }
        }
      }
    }
  }

  @Test(arguments: types, [false, true])
  func `a comparison of two fields holds as in Swift`(type: FieldType, isIndexed: Bool) throws {
    let pairs = LadderStore(type, isIndexed: isIndexed)
    try pairs.run { snapshot, pair, left, right throws in
      for comparison in RecordFilter.Comparison.all {
        let query = RecordQuery(entity: pair, filter: .compareFields(left, comparison, right))
        let expected = pairs.records.filter { comparison.holds($0.left, $0.right) }.map(\.id)
        #expect(try snapshot.identifiers(query) == expected, "\(comparison)")
      }
    }
  }

  @Test(arguments: types, [false, true])
  func `one of several values is equal to one of them`(type: FieldType, isIndexed: Bool) throws {
    let pairs = LadderStore(type, isIndexed: isIndexed)
    try pairs.run { snapshot, pair, left, _ throws in
      for first in pairs.values.indices {
        for second in first..<pairs.values.count {
          let constants = [pairs.values[first], pairs.values[second]]
          let filter = RecordFilter.oneOf(left, constants.map(\.value))
          let equal = RecordFilter.Comparison.equal
          let expected = pairs.records.filter { record in constants.contains { equal.holds(record.left, $0) } }.map(
            \.id)
          #expect(try snapshot.identifiers(RecordQuery(entity: pair, filter: filter)).sorted() == expected, "\(filter)")
        }
      }
      #expect(try snapshot.count(RecordQuery(entity: pair, filter: .oneOf(left, []))) == 0)
    }
  }

  @Test(arguments: types, [false, true])
  func `a range holds what both its bounds let in`(type: FieldType, isIndexed: Bool) throws {
    let pairs = LadderStore(type, isIndexed: isIndexed)
    try pairs.run { snapshot, pair, left, _ throws in
      for low in pairs.values {
        for high in pairs.values {
          for (above, below) in [
            (RecordFilter.Comparison.greater, RecordFilter.Comparison.lessOrEqual), (.greaterOrEqual, .less),
          ] {
            let filter = RecordFilter.and([.compare(left, above, low.value), .compare(left, below, high.value)])
            let expected = pairs.records.filter { above.holds($0.left, low) && below.holds($0.left, high) }.map(\.id)
            #expect(
              try snapshot.identifiers(RecordQuery(entity: pair, filter: filter)).sorted() == expected, "\(filter)")
          }
        }
      }
    }
  }

  /// Nil first, not-a-number last, what is equal by the next key and then by id.
  @Test(arguments: types, [false, true])
  func `records are sorted as Swift sorts the values, from either end`(type: FieldType, isIndexed: Bool) throws {
    let pairs = LadderStore(type, isIndexed: isIndexed)
    func rank(_ value: LadderStore.Value) -> Int { value.value == .null ? -1 : value.step ?? .max }
    try pairs.run { snapshot, pair, left, right throws in
      for (isLeftDescending, isRightDescending) in [(false, false), (false, true), (true, false), (true, true)] {
        let sort = [
          RecordQuery.SortKey(left, isDescending: isLeftDescending),
          RecordQuery.SortKey(right, isDescending: isRightDescending),
        ]
        let expected = pairs.records.sorted { one, other in
          let (lefts, rights) = ((rank(one.left), rank(other.left)), (rank(one.right), rank(other.right)))
          if lefts.0 != lefts.1 { return (lefts.0 < lefts.1) != isLeftDescending }
          if rights.0 != rights.1 { return (rights.0 < rights.1) != isRightDescending }
          return one.id < other.id
        }.map(\.id)
        let query = RecordQuery(entity: pair, sort: sort)
        #expect(try snapshot.identifiers(query) == expected)
        var window = query
        (window.limit, window.offset) = (5, 3)
        #expect(try snapshot.identifiers(window) == Array(expected.dropFirst(3).prefix(5)))
      }
    }
  }

  @Test(arguments: types) func `a value of another type is refused, whatever is asked`(type: FieldType) throws {
    let pairs = LadderStore(type, isIndexed: true)
    try pairs.run { snapshot, pair, left, _ throws in
      for other in FieldType.allCases where other != type {
        let value = try #require(ValueLadder.of(other).values.first).value
        for filter in [
          RecordFilter.compare(left, .equal, value), .compare(left, .less, value), .oneOf(left, [.null, value]),
        ] {
          let error = #expect(throws: StoreError.self) {
            try snapshot.identifiers(RecordQuery(entity: pair, filter: filter))
          }
          #expect(error?.code == .invalidRequest)
          #expect(
            error?.message == "the query on Pair compares a field of type \(type) with a value of type \(other)")
        }
      }
    }
  }
}
