import Foundation
import RecordStore
import TestSupport
import Testing

@testable import Tandem

@Suite struct PredicateAlgebraTests {
  private let adult = #Predicate<Person> { $0.age >= 18 }
  private let named = #Predicate<Person> { $0.name == "a" }
  private let doubled = #Predicate<Person> { $0.age * 2 == 4 && $0.isActive }
  private let light = #Predicate<Pet> { $0.name == "b" }

  private func text(_ predicate: Predicate<Person>) -> String {
    let translation = PredicateTranslation(predicate, in: FilterOracle.table(of: Person.self))
    let rest = translation.residual.map { " + \($0.parts.count) in Swift" } ?? ""
    return FilterText(of: Person.self).text(translation.filter) + rest
  }

  @Test func `each part of a composed predicate goes its own way`() {
    #expect(text(adult && named) == #"(age >= 18) and (name == "a")"#)
    #expect(text(adult || named) == #"(age >= 18) or (name == "a")"#)
    #expect(text(!adult) == "not (age >= 18)")
    #expect(text(!(adult || !named)) == #"not ((age >= 18) or (not (name == "a")))"#)
    // What Swift must decide is decided as a whole, but an index sees the rest.
    #expect(text(adult && doubled) == "(age >= 18) and (isActive == true) + 1 in Swift")
    #expect(text(adult || doubled) == "all + 1 in Swift")
  }

  @Test func `lists of predicates`() {
    #expect(text(.all([adult, named, adult])) == #"(age >= 18) and (name == "a") and (age >= 18)"#)
    #expect(text(.any([adult, named])) == #"(age >= 18) or (name == "a")"#)
    #expect(text(.all([])) == "all")
    #expect(text(.any([])) == "none")
    let many = (0..<1000).map { age in #Predicate<Person> { $0.age == age } }
    #expect(text(.any(many)).hasSuffix("(age == 999)"))
  }

  @Test func `predicates of related objects`() {
    #expect(text(.contains(\.pets, where: light)) == #"any pets(name == "b")"#)
    #expect(text(.allSatisfy(\.pets, light)) == #"all pets(name == "b")"#)
    let big = PredicateMatches(#Predicate<City> { $0.size > 3 })
    let adults = PredicateMatches(adult)
    #expect(text(#Predicate { $0.isActive && adults.contains($0) }) == "(isActive == true) and (age >= 18)")
    #expect(text(#Predicate { big.contains($0.city!) }) == "city.size > 3")
    let lights = PredicateMatches(light)
    #expect(text(#Predicate { $0.pets.contains { lights.contains($0) } }) == #"any pets(name == "b")"#)
  }

  @Test func `comparisons made at run time`() {
    let date = Date(timeIntervalSinceReferenceDate: 0)
    #expect(text(.comparing(\.age, .equal, 3)) == "age == 3")
    #expect(text(.comparing(\.age, .notEqual, 3)) == "age != 3")
    #expect(text(.comparing(\.age, .less, 3)) == "age < 3")
    #expect(text(.comparing(\.age, .lessOrEqual, 3)) == "age <= 3")
    #expect(text(.comparing(\.name, .greater, "x")) == #"name > "x""#)
    #expect(text(.comparing(\.age, .greaterOrEqual, 3)) == "age >= 3")
    #expect(text(.comparing(\.born, .less, date)) == "born < 0.0 s")
    #expect(text(.comparing(\.born, .equal, nil)) == "born == nil")
    #expect(text(.comparing(\.born, .notEqual, date)) == "born != 0.0 s")
    #expect(text(.comparing(\.born, .greater, nil)) == "none")
    #expect(text(.equal(\.mood, .glad)) == #"mood == "glad""#)
    #expect(text(.notEqual(\.rank, nil)) == "rank != nil")
    #expect(text(.oneOf(\.age, [1, 2])) == "age in [1, 2]")
  }

  @Test func `composed predicates evaluate, print and compare as others do`() throws {
    var random = SeededGenerator.announced()
    for person in Population(20, &random).people {
      let isAdult = try adult.evaluate(person)
      let isNamed = try named.evaluate(person)
      let both = try (adult && named).evaluate(person)
      let either = try (adult || named).evaluate(person)
      let neither = try (!adult).evaluate(person)
      #expect(both == (isAdult && isNamed))
      #expect(either == (isAdult || isNamed))
      #expect(neither == !isAdult)
      #expect(PredicateMatches(adult).contains(person) == isAdult)
    }
    #expect("\(adult && !named)".contains("matches of"))
    #expect(FetchDescriptor(predicate: adult && named) == FetchDescriptor(predicate: adult && named))
    #expect(FetchDescriptor(predicate: adult && named) != FetchDescriptor(predicate: adult && adult))
  }

  /// Foundation could not print an expression of ours, and a comparison of descriptors ended the process.
  @Test func `predicates with searches for people print and compare`() {
    let search = #Predicate<Person> { $0.name.localizedStandardContains("x") }
    let same = ComparisonResult.orderedSame
    let other = #Predicate<Person> { $0.name.caseInsensitiveCompare("x") == same }
    let third = #Predicate<Person> { $0.name.localizedCompare("x") == same }
    #expect(FetchDescriptor(predicate: search) == FetchDescriptor(predicate: search))
    #expect(FetchDescriptor(predicate: search) != FetchDescriptor(predicate: other))
    #expect(FetchDescriptor(predicate: third) != FetchDescriptor(predicate: other))
    #expect(!"\(search) \(other) \(third)".isEmpty)
  }

  @Test func `the matches of a predicate can not be encoded`() {
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(PredicateMatches(adult)) }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PredicateMatches<Person>.self, from: Data("{}".utf8))
    }
    #expect(Array(PredicateMatches(adult)).isEmpty)
  }
}
