import ForeignLayouts
import Foundation
import RecordStore
import Testing

@testable import Tandem

/// What a shape reads from a predicate's memory is what the translator finds in its parts.
@Suite(.enabled(if: ForeignLayout.predicates.isOn))
struct PredicateShapeTests {
  private let table = FilterOracle.table(of: Person.self)

  /// By shape, twice, as the first time is spent on learning; nil if the translator must do it.
  private func shaped(_ predicate: Predicate<Person>) -> RecordFilter? {
    let first = table.condition(of: predicate.expression)?.filter
    #expect(first == table.condition(of: predicate.expression)?.filter)
    return first
  }

  private func translated(_ predicate: Predicate<Person>) -> RecordFilter {
    let object = PredicateOperand.object(PredicateOperand.Object(table: table))
    var translator = PredicateTranslator(predicate.variable.key, is: object)
    var filters: [RecordFilter] = []
    var rest: [any StandardPredicateExpression<Bool>] = []
    translator.split(predicate.expression, into: &filters, &rest)
    #expect(rest.isEmpty)
    return .conjunction(filters)
  }

  @Test func `comparisons with constants have the filter that the translator makes`() {
    let predicates: [(String, Int, Double, Mood, UUID, Decimal) -> Predicate<Person>] = [
      { name, _, _, _, _, _ in #Predicate { $0.name == name } },
      { name, _, _, _, _, _ in #Predicate { $0.name > name } },
      { _, age, _, _, _, _ in #Predicate { $0.age != age } },
      { _, age, height, _, _, _ in #Predicate { $0.age >= age && $0.height < height } },
      { _, _, _, mood, _, _ in #Predicate { $0.mood == mood } },
      { name, age, _, mood, _, _ in #Predicate { $0.mood != mood && $0.name <= name && $0.age == age } },
      { _, _, _, _, code, balance in #Predicate { $0.code == code && $0.balance > balance } },
    ]
    let id = Person.codes
    for make in predicates {
      for predicate in [make("a", 3, 1.5, .calm, id[0], 2), make("e\u{301}", -1, -0.0, .wild, id[2], 0.1)] {
        #expect(shaped(predicate) == translated(predicate), "\(predicate)")
        #expect(shaped(predicate) != nil, "\(predicate)")
      }
    }
  }

  @Test func `predicates of one type that name other properties keep their own`() {
    let text = "a"
    let first = #Predicate<City> { $0.name == text }
    let cities = FilterOracle.table(of: City.self)
    let number = 1
    let size = #Predicate<City> { $0.size == number }
    for _ in 0..<3 {
      let isFirst = cities.condition(of: first.expression)?.filter
      #expect(isFirst == .compare(FieldPath(cities.ordinals[0]), .equal, .string("a")))
      let isOfSize = cities.condition(of: size.expression)?.filter
      #expect(isOfSize == .compare(FieldPath(cities.ordinals[1]), .equal, .int(1)))
    }
    let height = 1.0
    let tall = #Predicate<Person> { $0.height > height }
    for age in 0..<40 {
      // Key paths made at run time, more than a shape remembers.
      let predicate = #Predicate<Person> { $0.age > age }
      #expect(shaped(predicate) == translated(predicate))
    }
    #expect(shaped(tall) == translated(tall))
  }

  @Test func `what needs a closer look is left to the translator`() {
    let notANumber = Double.zero / 0
    let height = 1.0
    let link = URL(string: "https://example.com")
    let nick: String? = "a"
    // Not a number, then a number, in one shape.
    #expect(shaped(#Predicate { $0.height < notANumber }) == nil)
    #expect(table.condition(of: #Predicate<Person> { $0.height < height }.expression) != nil)
    #expect(shaped(#Predicate { $0.nick == nick }) == nil)
    #expect(shaped(#Predicate { $0.home == link }) == nil)
    #expect(shaped(#Predicate { $0.name.isEmpty }) == nil)
    #expect(shaped(#Predicate { $0.age == 1 || $0.age == 2 }) == nil)
    #expect(shaped(#Predicate { $0.age == 1 && $0.isActive }) == nil)
    #expect(shaped(#Predicate { 3 < $0.age }) == nil)
  }
}
