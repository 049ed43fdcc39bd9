import Foundation
import Tandem
import Testing

@Model final class Reading {
  #Index<Reading>([\.number], [\.moment])
  var number: Int
  var small: Int8
  var unsigned: UInt64
  var value: Double
  var price: Decimal
  var optionalPrice: Decimal?
  var moment: Date?
  var unit: Unit
  var place: Place
  var note: String
  var next: Reading?
  @Transient var cached = 0

  enum Unit: String, Codable, CaseIterable { case metre, second }
  struct Place: Codable, Hashable { var x: Int }

  init(_ number: Int, value: Double = 0, price: Decimal = 0, unsigned: UInt64 = 0, note: String = "") {
    self.number = number
    small = Int8(truncatingIfNeeded: number)
    self.unsigned = unsigned
    self.value = value
    self.price = price
    unit = number % 2 == 0 ? .metre : .second
    place = Place(x: number % 2)
    self.note = note
  }
}

/// The rules of aggregates at the edges: nothing, nil, not-a-number, overflow, key paths that name no attribute.
@Suite struct AggregateTests {
  /// What holds for stored objects holds for unsaved ones.
  private func withReadings(_ readings: [Reading], _ body: (ModelContext) throws -> Void) async throws {
    try await withContainer(for: [Reading.self]) { container in
      let context = ModelContext(container)
      for reading in readings { context.insert(reading) }
      try body(context)
      try context.save()
      try body(ModelContext(container))
    }
  }

  @Test func `nothing has a count and a sum of zero, and neither average, minimum nor groups`() async throws {
    try await withReadings([]) { context in
      let (count, sum, mean, least) = try context.aggregate(
        .count, .sum(of: \Reading.number), .average(of: \.value), .minimum(of: \.note))
      #expect(count == 0 && sum == 0 && mean == nil && least == nil)
      let found1 = try context.aggregate(.sum(of: \Reading.price))
      #expect(found1 == 0)
      let found2 = try context.aggregate(.maximum(of: \Reading.number))
      #expect(found2 == nil)
      let found3 = try context.aggregate(.count, groupedBy: \Reading.unit).isEmpty
      #expect(found3)
      let found4 = try context.distinctValues(of: \Reading.number).isEmpty
      #expect(found4)
    }
  }

  @Test func `sums of integers that do not fit throw, and those that come back into range do not`() async throws {
    try await withReadings([Reading(.max), Reading(.max), Reading(.min), Reading(.min)]) { context in
      let sum = try context.aggregate(.sum(of: \Reading.number))
      #expect(sum == -2)
      expectError(.aggregateOverflow) {
        try context.aggregate(
          .sum(of: \.number), over: FetchDescriptor<Reading>(predicate: #Predicate { $0.number > 0 }))
      }
      // Eight bits a value, 64 a sum.
      let small = try context.aggregate(.sum(of: \Reading.small))
      #expect(small == -2)
      let mean = try context.aggregate(.average(of: \Reading.number))
      #expect(mean == -0.5)
    }
    try await withReadings([Reading(0, unsigned: .max), Reading(1, unsigned: 1)]) { context in
      expectError(.aggregateOverflow) { try context.aggregate(.sum(of: \Reading.unsigned)) }
    }
  }

  @Test func `a sum of decimals is exact, and refused beyond 38 digits`() async throws {
    let large = Decimal(string: "12345678901234567890123456789.5")!
    let small = Decimal(string: "0.00000001")!
    try await withReadings([Reading(1, price: large), Reading(2, price: small), Reading(3, price: -large)]) { context in
      let found5 = try context.aggregate(.sum(of: \Reading.price))
      #expect(found5 == small)
      let found6 = try context.aggregate(.sum(of: \Reading.optionalPrice))
      #expect(found6 == 0)
      let found7 = try context.aggregate(.average(of: \Reading.optionalPrice))
      #expect(found7 == nil)
    }
    let huge = Decimal(sign: .plus, exponent: 100, significand: 1)
    try await withReadings([Reading(1, price: huge), Reading(2, price: small)]) { context in
      expectError(.aggregateOverflow) { try context.aggregate(.sum(of: \Reading.price)) }
      let found8 = try context.aggregate(.maximum(of: \Reading.price))
      #expect(found8 == huge)
    }
    try await withReadings([Reading(1, price: huge), Reading(2, price: huge)]) { context in
      let found9 = try context.aggregate(.sum(of: \Reading.price))
      #expect(found9 == huge + huge)
    }
    try await withReadings([Reading(1, price: .nan), Reading(2, price: 1)]) { context in
      let found10 = try context.aggregate(.sum(of: \Reading.price)).isNaN
      #expect(found10)
      let found11 = try context.aggregate(.minimum(of: \Reading.price))
      #expect(found11 == 1)
    }
  }

  @Test func `not-a-number spreads through sums and is no extreme, and small numbers are not lost`() async throws {
    try await withReadings([Reading(1, value: .nan), Reading(2, value: 3)]) { context in
      let (sum, least, greatest) = try context.aggregate(
        .sum(of: \Reading.value), .minimum(of: \.value), .maximum(of: \.value))
      #expect(sum.isNaN && least == 3 && greatest == 3)
      let found12 = try context.aggregate(.count, groupedBy: \Reading.value).count
      #expect(found12 == 2)
    }
    try await withReadings([1e100, 1, -1e100].enumerated().map { Reading($0, value: $1) }) { context in
      let found13 = try context.aggregate(.sum(of: \Reading.value))
      #expect(found13 == 1)
    }
    try await withReadings([Double.infinity, 1].enumerated().map { Reading($0, value: $1) }) { context in
      let found14 = try context.aggregate(.sum(of: \Reading.value))
      #expect(found14 == .infinity)
    }
    try await withReadings([Double.infinity, -.infinity].enumerated().map { Reading($0, value: $1) }) { context in
      let found15 = try context.aggregate(.sum(of: \Reading.value)).isNaN
      #expect(found15)
    }
  }

  @Test func `values that Swift holds for equal are one group, in the order of the type`() async throws {
    let readings = [
      Reading(2, value: 0, note: "é"), Reading(4, value: -0.0, note: "e\u{301}"), Reading(1, value: 5, note: "a"),
    ]
    try await withReadings(readings) { context in
      let found16 = try context.distinctValues(of: \Reading.note)
      #expect(found16 == ["a", "é"])
      let groups = try context.aggregate(.count, groupedBy: \Reading.value)
      #expect(groups.map(\.key) == [0, 5] && groups.map(\.values) == [2, 1])
      let found17 = try context.aggregate(.count, groupedBy: \Reading.unit).map(\.key)
      #expect(found17 == [.metre, .second])
      let found18 = try context.aggregate(.countDistinct(of: \Reading.place))
      #expect(found18 == 2)
      let found19 = try Set(context.distinctValues(of: \Reading.place))
      #expect(found19 == [.init(x: 0), .init(x: 1)])
    }
  }

  @Test func `key paths that name no stored attribute are refused`() async throws {
    try await withReadings([Reading(1)]) { context in
      expectError(.unsupportedKeyPath) { try context.aggregate(.sum(of: \Reading.cached)) }
      expectError(.unsupportedKeyPath) { try context.aggregate(.sum(of: \Reading.note.count)) }
      expectError(.unsupportedKeyPath) { try context.distinctValues(of: \Reading.next) }
      expectError(.unsupportedKeyPath) { try context.distinctValues(of: \Reading.id) }
    }
  }

  @Test func `unsaved changes count unless the descriptor leaves them out`() async throws {
    try await withContainer(for: [Reading.self]) { container in
      let context = ModelContext(container)
      let readings = (1...4).map { Reading($0) }
      for reading in readings { context.insert(reading) }
      try context.save()
      readings[0].number = 10
      context.delete(readings[1])
      context.insert(Reading(100))
      var descriptor = FetchDescriptor<Reading>()
      let found20 = try context.aggregate(.count, .sum(of: \.number), over: descriptor).1
      #expect(found20 == 117)
      descriptor.includePendingChanges = false
      let found21 = try context.aggregate(.count, .sum(of: \.number), over: descriptor).1
      #expect(found21 == 10)
    }
  }
}
