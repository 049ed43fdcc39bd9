import Foundation
import RecordStore
import Tandem
import Testing

private enum CodedMood: String, Codable, CaseIterable { case calm, curious, tired, cheerful }

private struct CodedSheet: Codable, Hashable {
  var labels: Set<Int>
  var names: [CodedMood: String]
  var inner: [Set<String>] = []
}

private struct CodedAmount: Codable, Hashable {
  var value: Decimal
}

private enum CodedReading: Codable, Hashable {
  case none
  case exact(Decimal)
  case measured(Double, at: Date?)
}

/// A set of the same elements that lies otherwise in memory: in it the order is as different as in another launch.
private func spread<Element>(_ elements: some Sequence<Element>) -> Set<Element> {
  var set = Set<Element>(minimumCapacity: 4_096)
  set.formUnion(elements)
  return set
}

private func spread<Key, Value>(_ pairs: [Key: Value]) -> [Key: Value] {
  var copy = [Key: Value](minimumCapacity: 4_096)
  for (key, value) in pairs { copy[key] = value }
  return copy
}

private let names = Dictionary(uniqueKeysWithValues: CodedMood.allCases.map { ($0, "\($0)") })

@Model private final class CodedMeasure {
  var amount: CodedAmount
  var reading: CodedReading
  var readings: [CodedReading] = []
  var numbers: [Double] = []
  var amounts: [Decimal] = []
  init(amount: CodedAmount = CodedAmount(value: 0), reading: CodedReading = .none) {
    (self.amount, self.reading) = (amount, reading)
  }
}

@Model private final class CodedTag {
  @Attribute(.unique) var tags: Set<Int>
  @Attribute(.unique) var sheet: CodedSheet
  init(tags: Set<Int>, sheet: CodedSheet) { (self.tags, self.sheet) = (tags, sheet) }
}

/// Values of `Codable` types whose JSON could differ from launch to launch, or be none.
struct CodedValuesTests {
  @Test func `equal sets and dictionaries are one unique value whatever their order in memory`() async throws {
    try await withContainer(for: [CodedTag.self]) { container in
      let inner = Set("abcdefgh".map(String.init))
      let sheet = CodedSheet(labels: Set(1...40), names: names, inner: [inner])
      let spreadSheet = CodedSheet(labels: spread(1...40), names: spread(names), inner: [spread(inner)])
      let empty = CodedSheet(labels: [], names: [:])
      // The second has the tags of the first, and the fourth the sheet of the third.
      let values: [(tags: Set<Int>, sheet: CodedSheet)] = [
        (Set(1...40), CodedSheet(labels: [1], names: [:])), (spread(1...40), empty), ([1], sheet), ([2], spreadSheet),
      ]
      for (tags, sheet) in values {
        let context = ModelContext(container)
        context.insert(CodedTag(tags: tags, sheet: sheet))
        try context.save()
      }
      let found = try ModelContext(container).fetch(FetchDescriptor<CodedTag>())
      #expect(Set(found.map(\.tags)) == [Set(1...40), [2]] && Set(found.map(\.sheet)) == [empty, sheet])
    }
  }

  @Test func `a decimal that is not a number is refused in a structure rather than lost`() async throws {
    try await withContainer(for: [CodedMeasure.self]) { container in
      let makers: [@Sendable () -> CodedMeasure] = [
        { CodedMeasure(amount: CodedAmount(value: .nan)) },
        { CodedMeasure(reading: .exact(.nan)) },
        {
          let measure = CodedMeasure()
          measure.readings = [.none, .exact(.nan)]
          return measure
        },
        {
          let measure = CodedMeasure()
          measure.amounts = [1, .nan]
          return measure
        },
      ]
      for make in makers {
        let context = ModelContext(container)
        context.insert(make())
        let error = #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(error?.code == .modelValidationFailure)
      }
      let count = try ModelContext(container).fetchCount(FetchDescriptor<CodedMeasure>())
      #expect(count == 0)
    }
  }

  @Test func `the ends of number types come back from structures, cases and arrays`() async throws {
    try await withContainer(for: [CodedMeasure.self]) { container in
      let decimals: [Decimal] = [
        .greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude,
        Decimal(sign: .minus, exponent: -128, significand: 123_456_789),
        Decimal(sign: .plus, exponent: 127, significand: 1),
      ]
      let doubles: [Double] = [
        -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude / 3,
      ]
      let dates: [Date] = [.distantFuture, .distantPast, Date(timeIntervalSinceReferenceDate: .infinity)]
      let context = ModelContext(container)
      let measure = CodedMeasure(amount: CodedAmount(value: .greatestFiniteMagnitude))
      measure.readings =
        decimals.map { .exact($0) } + doubles.map { .measured($0, at: nil) } + dates.map { .measured(1, at: $0) }
      (measure.numbers, measure.amounts) = (doubles + [.nan], decimals)
      context.insert(measure)
      try context.save()
      let found = try #require(try ModelContext(container).fetch(FetchDescriptor<CodedMeasure>()).first)
      #expect(found.readings == measure.readings && found.amounts == decimals && found.amount == measure.amount)
      #expect(found.numbers.map(\.bitPattern) == measure.numbers.map(\.bitPattern))
    }
  }
}
