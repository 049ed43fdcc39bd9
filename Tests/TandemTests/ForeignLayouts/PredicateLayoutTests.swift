import ForeignLayouts
import Foundation
import RecordStore
import TestSupport
import Testing

@testable import Tandem

/// What is read of predicates by offset, beside their properties.
struct PredicateLayoutTests {
  /// Whether what is read at the place of one expression is what another one of its type says.
  private static func agrees(_ read: Predicate<Person>, _ known: Predicate<Person>) throws -> Bool {
    func opened<E: StandardPredicateExpression<Bool>>(_ expression: E) throws -> Bool {
      let shape = try #require(PredicateShape(E.self))
      let other = try #require(known.expression as? E)
      // A pointer, for parts are loaded by offset.
      return withUnsafePointer(to: expression) { shape.agrees(with: other, at: UnsafeRawPointer($0)) }
    }
    return try opened(read.expression)
  }

  @Test func `the self-test passes for each constant, and fails for another key path, constant or comparison`() throws {
    func make(_ name: String, _ age: Int, _ mood: Mood, _ balance: Decimal) -> Predicate<Person> {
      #Predicate { $0.name == name && $0.age != age && $0.mood == mood && $0.balance < balance }
    }
    let known = make("a text that is longer than fifteen bytes", 3, .glad, 1.5)
    #expect(try Self.agrees(known, known))
    for other in [
      make("another", 3, .glad, 1.5), make("a text that is longer than fifteen bytes", 4, .glad, 1.5),
      make("a text that is longer than fifteen bytes", 3, .wild, 1.5),
      make("a text that is longer than fifteen bytes", 3, .glad, 2),
    ] {
      #expect(try !Self.agrees(known, other))
    }
    let (low, high) = (1.0, 2.0)
    let below = #Predicate<Person> { $0.height < high && $0.height > low }
    let atMost = #Predicate<Person> { $0.height <= high && $0.height > low }
    let swapped = #Predicate<Person> { $0.height < low && $0.height > high }
    #expect(try Self.agrees(below, below))
    #expect(try !Self.agrees(below, atMost))
    #expect(try !Self.agrees(below, swapped))
    let (code, nobody) = (Person.codes[0], Person.codes[1])
    let own = #Predicate<Person> { $0.code == code }
    #expect(try Self.agrees(own, own))
    #expect(try !Self.agrees(own, #Predicate<Person> { $0.code == nobody }))
  }

  @Test func `without offsets predicates have the filters of the translator`() async {
    await #expect(processExitsWith: .success) {
      unsetenv("TANDEM_FOREIGN_LAYOUTS")
      let fast = FilterOracle.table(of: Person.self)
      let slow = FilterOracle.table(of: Person.self)
      var random = SeededGenerator.announced()
      let made = (0..<200).map { _ in Self.random(&random) }
      let filters = made.map { PredicateTranslation($0, in: fast).filter }
      let shaped = made.map { fast.condition(of: $0.expression)?.filter }
      #expect(shaped.allSatisfy { $0 != nil })
      ForeignLayout.predicates.settle(false)
      for (predicate, filter) in zip(made, filters) {
        #expect(slow.condition(of: predicate.expression) == nil)
        #expect(fast.condition(of: predicate.expression) == nil)
        let translation = PredicateTranslation(predicate, in: slow)
        #expect(translation.filter == filter && translation.residual == nil, "\(predicate)")
      }
    }
  }

  private static func random(_ random: inout SeededGenerator) -> Predicate<Person> {
    let (age, height) = (Int.random(in: -3...3, using: &random), Double.random(in: 0...2, using: &random))
    let (name, mood) = (random.pick(["", "a", "e\u{301}", "a longer text than a word"]), random.pick(Mood.allCases))
    let (code, balance) = (random.pick(Person.codes), Decimal(Int.random(in: -9...9, using: &random)) / 4)
    return switch Int.random(in: 0..<7, using: &random) {
    case 0: #Predicate { $0.name == name }
    case 1: #Predicate { $0.age >= age && $0.height < height }
    case 2: #Predicate { $0.mood != mood && $0.name <= name && $0.age == age }
    case 3: #Predicate { $0.code == code && $0.balance > balance }
    case 4: #Predicate { $0.age != age }
    case 5: #Predicate { $0.height <= height && $0.age < age }
    default: #Predicate { $0.mood == mood }
    }
  }
}
