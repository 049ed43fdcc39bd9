import Foundation
import Tandem
import TestSupport

typealias Condition = any StandardPredicateExpression<Bool>

/// Predicates over ``Person`` of every form that the translation knows, and some that it does not.
struct RandomPredicate {
  private typealias X = PredicateExpressions
  private typealias Subject = PredicateExpressions.Variable<Person>
  private var random: SeededGenerator
  private let pool: PersonPool

  init(_ random: SeededGenerator, _ pool: PersonPool = .plain) {
    self.random = random
    self.pool = pool
  }

  mutating func next(depth: Int) -> Predicate<Person> {
    Predicate<Person> { condition($0, depth) }
  }

  private mutating func condition(_ person: Subject, _ depth: Int) -> Condition {
    guard depth > 0, !random.oneIn(4) else { return leaf(person) }
    let left = condition(person, depth - 1)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return and(left, condition(person, depth - 1))
    case 1: return or(left, condition(person, depth - 1))
    case 2: return not(left)
    default: return choose(left, condition(person, depth - 1), condition(person, depth - 1))
    }
  }

  private func and<L: StandardPredicateExpression<Bool>, R: StandardPredicateExpression<Bool>>(
    _ left: L, _ right: R
  ) -> Condition { X.build_Conjunction(lhs: left, rhs: right) }
  private func or<L: StandardPredicateExpression<Bool>, R: StandardPredicateExpression<Bool>>(
    _ left: L, _ right: R
  ) -> Condition { X.build_Disjunction(lhs: left, rhs: right) }
  private func not<W: StandardPredicateExpression<Bool>>(_ wrapped: W) -> Condition { X.build_Negation(wrapped) }
  private func choose<
    T: StandardPredicateExpression<Bool>, L: StandardPredicateExpression<Bool>, R: StandardPredicateExpression<Bool>
  >(_ test: T, _ left: L, _ right: R) -> Condition { X.build_Conditional(test, left, right) }

  private mutating func leaf(_ person: Subject) -> Condition {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: plain(person)
    case 1: optional(person)
    case 2: text(person)
    default: related(person)
    }
  }

  private mutating func plain(_ person: Subject) -> Condition {
    switch Int.random(in: 0..<18, using: &random) {
    case 0: ordered(X.build_KeyPath(root: person, keyPath: \.age), Int.random(in: -3...4, using: &random))
    case 1: ordered(X.build_KeyPath(root: person, keyPath: \.height), random.pick([-1.5, 0, 1.75, .nan, .infinity]))
    case 2: ordered(X.build_KeyPath(root: person, keyPath: \.balance), random.pick(pool.balances))
    case 3: ordered(X.build_KeyPath(root: person, keyPath: \.name), random.pick(pool.names))
    case 4: equal(X.build_KeyPath(root: person, keyPath: \.mood), random.pick(Mood.allCases))
    case 5: equal(X.build_KeyPath(root: person, keyPath: \.code), random.pick(Person.codes))
    case 6: X.build_KeyPath(root: person, keyPath: \.isActive)
    case 7: equal(X.build_KeyPath(root: person, keyPath: \.scores), [1, 2])
    case 8:
      ordered(
        X.build_Arithmetic(
          lhs: X.build_KeyPath(root: person, keyPath: \.age), rhs: X.build_Arg(2), op: .multiply), 2)
    case 9:
      equal(X.build_Remainder(lhs: X.build_KeyPath(root: person, keyPath: \.age), rhs: X.build_Arg(3)), 1)
    case 10:
      ordered(X.build_UnaryMinus(X.build_KeyPath(root: person, keyPath: \.height)), random.pick([0, 1.5, .infinity]))
    case 11:
      equal(
        X.build_max(X.build_KeyPath(root: person, keyPath: \.scores)), random.pick([nil, 2]))
    case 12:
      oneOf([random.pick(pool.names), random.pick(pool.names)], X.build_KeyPath(root: person, keyPath: \.name))
    case 13:
      X.build_contains(
        X.build_ClosedRange(lower: X.build_Arg(-1), upper: X.build_Arg(2)),
        X.build_KeyPath(root: person, keyPath: \.age))
    case 14:
      oneOf(
        [random.pick(pool.balances), random.pick(pool.balances)], X.build_KeyPath(root: person, keyPath: \.balance))
    case 15:
      X.build_contains(X.build_Arg(...random.pick(pool.names)), X.build_KeyPath(root: person, keyPath: \.name))
    case 16:
      X.build_contains(X.build_Arg(..<Decimal(1)), X.build_KeyPath(root: person, keyPath: \.balance))
    default:
      ordered(
        X.build_NilCoalesce(
          lhs: X.build_KeyPath(root: person, keyPath: \.nick), rhs: X.build_Arg(random.pick(pool.names))),
        random.pick(pool.names))
    }
  }

  private mutating func optional(_ person: Subject) -> Condition {
    let born = X.build_KeyPath(root: person, keyPath: \.born)
    let date = Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -2...2, using: &random)))
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return equal(X.build_KeyPath(root: person, keyPath: \.nick), random.pick([nil] + pool.names))
    case 1: return equal(X.build_KeyPath(root: person, keyPath: \.rank), random.pick([nil, .low, .high]))
    case 2: return equal(X.build_KeyPath(root: person, keyPath: \.weight), random.pick([nil, 0, 60.5, .nan]))
    case 3: return equal(X.build_KeyPath(root: person, keyPath: \.isHidden), random.pick([nil, true, false]))
    case 4: return ordered(X.build_NilCoalesce(lhs: born, rhs: X.build_Arg(date + 1)), date)
    case 5:
      let isHidden = X.build_KeyPath(root: person, keyPath: \.isHidden)
      return X.build_NilCoalesce(lhs: isHidden, rhs: X.build_Arg(random.oneIn(2)))
    case 6: return ordered(X.build_ForcedUnwrap(born), date)
    case 7:
      let isEarlier = X.build_flatMap(born) { X.build_Comparison(lhs: $0, rhs: X.build_Arg(date), op: .lessThan) }
      return X.build_NilCoalesce(lhs: isEarlier, rhs: X.build_Arg(random.oneIn(2)))
    case 8:
      let isEarlier = X.build_flatMap(born) { X.build_Comparison(lhs: $0, rhs: X.build_Arg(date), op: .lessThan) }
      return equal(isEarlier, random.pick([nil, true, false]))
    default: return equal(X.build_KeyPath(root: person, keyPath: \.home), URL(string: "https://example.com/a"))
    }
  }

  private mutating func text(_ person: Subject) -> Condition {
    let name = X.build_KeyPath(root: person, keyPath: \.name)
    let part = random.pick(pool.names + ["\n", "e", "z"])
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return X.build_contains(name, X.build_Arg(part))
    case 1: return X.build_starts(name, with: X.build_Arg(part))
    case 2: return X.build_localizedStandardContains(name, X.build_Arg(part))
    case 3: return X.build_KeyPath(root: name, keyPath: \.isEmpty)
    case 4:
      let nick = X.build_KeyPath(root: person, keyPath: \.nick)
      return equal(X.build_flatMap(nick) { X.build_contains($0, X.build_Arg(part)) }, random.pick([nil, true, false]))
    default:
      let nick = X.build_NilCoalesce(
        lhs: X.build_KeyPath(root: person, keyPath: \.nick), rhs: X.build_Arg(random.pick(pool.names)))
      return X.build_contains(nick, X.build_Arg(part))
    }
  }

  private mutating func related(_ person: Subject) -> Condition {
    let city = X.build_KeyPath(root: person, keyPath: \.city)
    let pets = X.build_KeyPath(root: person, keyPath: \.pets)
    let name = random.pick(["a", "b"])
    let count = Int.random(in: 0...3, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      return equal(
        X.build_flatMap(city) { X.build_KeyPath(root: $0, keyPath: \.name) }, random.pick([nil, "a", "é"]))
    case 1:
      let twin = X.build_flatMap(city) { X.build_KeyPath(root: $0, keyPath: \.twin) }
      return equal(X.build_flatMap(twin) { X.build_KeyPath(root: $0, keyPath: \.name) }, random.pick([nil, "b"]))
    case 2: return X.build_Equal(lhs: city, rhs: X.build_NilLiteral())
    case 3: return ordered(X.build_KeyPath(root: X.build_ForcedUnwrap(city), keyPath: \.size), 1)
    case 4:
      return X.build_contains(pets) {
        X.build_Equal(lhs: X.build_KeyPath(root: $0, keyPath: \.name), rhs: X.build_Arg(name))
      }
    case 5:
      return X.build_allSatisfy(pets) {
        X.build_NotEqual(lhs: X.build_KeyPath(root: $0, keyPath: \.weight), rhs: X.build_NilLiteral())
      }
    case 6:
      let named = X.build_filter(pets) {
        X.build_Equal(lhs: X.build_KeyPath(root: $0, keyPath: \.name), rhs: X.build_Arg(name))
      }
      return ordered(X.build_KeyPath(root: named, keyPath: \.count), count)
    case 7: return ordered(X.build_KeyPath(root: pets, keyPath: \.count), count)
    default: return X.build_KeyPath(root: pets, keyPath: \.isEmpty)
    }
  }

  private mutating func ordered<Operand: StandardPredicateExpression>(
    _ operand: Operand, _ value: Operand.Output
  ) -> Condition where Operand.Output: Comparable & Codable & Sendable {
    let value = X.build_Arg(value)
    return switch Int.random(in: 0..<7, using: &random) {
    case 0: X.build_Comparison(lhs: operand, rhs: value, op: .lessThan)
    case 1: X.build_Comparison(lhs: operand, rhs: value, op: .lessThanOrEqual)
    case 2: X.build_Comparison(lhs: operand, rhs: value, op: .greaterThan)
    case 3: X.build_Comparison(lhs: value, rhs: operand, op: .greaterThanOrEqual)
    case 4: X.build_Comparison(lhs: value, rhs: operand, op: .lessThan)
    case 5: X.build_NotEqual(lhs: value, rhs: operand)
    default: X.build_Equal(lhs: operand, rhs: value)
    }
  }

  private mutating func equal<Operand: StandardPredicateExpression>(
    _ operand: Operand, _ value: Operand.Output
  ) -> Condition where Operand.Output: Equatable & Codable & Sendable {
    let value = X.build_Arg(value)
    return random.oneIn(2) ? X.build_NotEqual(lhs: operand, rhs: value) : X.build_Equal(lhs: operand, rhs: value)
  }

  private func oneOf<Element: StandardPredicateExpression>(
    _ values: [Element.Output], _ element: Element
  ) -> Condition where Element.Output: Equatable & Codable & Sendable {
    X.build_contains(X.build_Arg(values), element)
  }
}
