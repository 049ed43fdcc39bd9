import Foundation
import Testing

@testable import Tandem

/// Predicates for which Foundation's own evaluation ends the process.
@Suite struct PredicateCheckTests {
  @Model final class Number {
    var value: Int
    var small: Int8
    var values: [Int]
    var ratio: Double
    init(_ value: Int, small: Int8 = 1, values: [Int] = [], ratio: Double = 0) {
      self.value = value
      self.small = small
      self.values = values
      self.ratio = ratio
    }
  }

  /// The values of the numbers that a fetch finds.
  private func found(_ predicate: Predicate<Number>) async throws -> [Int] {
    try await withContainer(for: [Number.self]) { container in
      let context = ModelContext(container)
      for value in [0, 1, 2, .max, .min] {
        context.insert(Number(value, small: value == 2 ? .min : 1, values: [value]))
      }
      let unsaved = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.value)]))
      try context.save()
      let saved = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.value)]))
      #expect(unsaved.map(\.value) == saved.map(\.value))
      return saved.map(\.value)
    }
  }

  @Test func `arithmetic that overflows accepts nothing`() async throws {
    #expect(try await found(#Predicate { $0.value + 1 > 0 }) == [0, 1, 2])
    #expect(try await found(#Predicate { $0.value - 1 < 0 }) == [0])
    #expect(try await found(#Predicate { $0.value * 2 <= 4 }) == [0, 1, 2])
    #expect(try await found(#Predicate { -$0.value <= 0 }) == [0, 1, 2, .max].sorted { $0 < $1 })
    #expect(try await found(#Predicate { -$0.small == -1 && $0.value >= 0 }) == [0, 1, .max])
  }

  @Test func `a division by zero accepts nothing`() async throws {
    let zero = 0
    #expect(try await found(#Predicate { 10 / $0.value == 5 }) == [2])
    #expect(try await found(#Predicate { 10 % $0.value == 0 && $0.value > 0 }) == [1, 2])
    #expect(try await found(#Predicate { $0.value / -1 == 0 }) == [0])
    #expect(try await found(#Predicate { $0.value > 3 / zero }) == [])
    #expect(try await found(#Predicate { $0.ratio / 0.0 == 1.0 || $0.value == 1 }) == [1])
  }

  @Test func `a range with exchanged ends and a place outside of a list accept nothing`() async throws {
    #expect(try await found(#Predicate { ($0.value..<2).contains(1) }) == [.min, 0, 1])
    #expect(try await found(#Predicate { ($0.value...1).contains(1) }) == [.min, 0, 1])
    #expect(try await found(#Predicate { $0.values[0] == 1 }) == [1])
    #expect(try await found(#Predicate { $0.values[1] == 1 || $0.value == 1 }) == [])
    #expect(try await found(#Predicate { $0.values[$0.value] == 0 }) == [0])
    #expect(try await found(#Predicate { $0.values[0..<1].contains(2) }) == [2])
    #expect(try await found(#Predicate { $0.values[0..<2].contains(2) }) == [])
  }

  @Test func `a part that means nothing accepts nothing under a negation too`() async throws {
    #expect(try await found(#Predicate { !(10 / $0.value == 5) && $0.value >= 0 }) == [1, .max])
    let fifth = #Predicate<Number> { 10 / $0.value == 5 }
    let positive = #Predicate<Number> { $0.value >= 0 }
    #expect(try await found(!fifth && positive) == [1, .max])
  }

  @Test func `casts that do not succeed accept nothing`() async throws {
    typealias Value = PredicateExpressions.KeyPath<PredicateExpressions.Variable<Number>, Int>
    func cast<Desired: Equatable>(to type: Desired.Type, _ wanted: Desired) -> Predicate<Number>
    where Desired: Codable & Sendable {
      Predicate<Number> {
        let value = PredicateExpressions.build_KeyPath(root: $0, keyPath: \.value)
        return PredicateExpressions.build_Equal(
          lhs: PredicateExpressions.ForceCast<Value, Desired>(value), rhs: PredicateExpressions.build_Arg(wanted))
      }
    }
    #expect(try await found(cast(to: Int.self, 2)) == [2])
    #expect(try await found(cast(to: String.self, "2")) == [])
    let isInteger = Predicate<Number> {
      PredicateExpressions.TypeCheck<Value, Int>(PredicateExpressions.build_KeyPath(root: $0, keyPath: \.value))
    }
    let isText = Predicate<Number> {
      PredicateExpressions.build_NotEqual(
        lhs: PredicateExpressions.ConditionalCast<Value, String>(
          PredicateExpressions.build_KeyPath(root: $0, keyPath: \.value)),
        rhs: PredicateExpressions.build_NilLiteral())
    }
    #expect(try await found(isInteger).count == 5)
    #expect(try await found(isText) == [])
  }

  @Test func `an expression inside a predicate is checked too`() async throws {
    let reciprocal = #Expression<Number, Int> { 12 / $0.value }
    let predicate = Predicate<Number> {
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_evaluate(Literal(reciprocal), $0), rhs: PredicateExpressions.build_Arg(6))
    }
    #expect(try await found(predicate) == [2])
  }

  /// An expression as a part of a predicate, made by hand: the macro does not know `evaluate` on Linux.
  private struct Literal: StandardPredicateExpression, CheckedExpression {
    let expression: Expression<Number, Int>
    init(_ expression: Expression<Number, Int>) { self.expression = expression }
    init(from decoder: any Decoder) throws { throw CocoaError(.coderInvalidValue) }
    func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
    func evaluate(_ bindings: PredicateBindings) -> Expression<Number, Int> { expression }
  }
}
