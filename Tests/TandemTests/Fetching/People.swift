import Foundation
import Tandem
import TestSupport

// The schema of all tests of predicates and sort orders.

enum Mood: String, Codable, CaseIterable { case calm, glad, wild }
enum Rank: Int, Codable { case low = 1, high = 5 }

@Model
final class Person {
  #Index<Person>([\.age], [\.height], [\.name, \.age], [\.mood])
  var name: String
  var nick: String?
  var age: Int
  var height: Double
  var weight: Double?
  var born: Date?
  var isActive: Bool
  var isHidden: Bool?
  var mood: Mood
  var rank: Rank?
  var code: UUID
  var balance: Decimal
  var scores: [Int]
  var home: URL?
  @Relationship(inverse: \City.people) var city: City?
  @Relationship(deleteRule: .cascade, inverse: \Pet.owner) var pets: [Pet] = []

  init(_ random: inout SeededGenerator, _ pool: PersonPool = .plain) {
    name = random.pick(pool.names)
    nick = random.oneIn(3) ? nil : random.pick(pool.names)
    age = Int.random(in: -3...4, using: &random)
    height = random.pick([-1.5, 0, -0.0, 1.75, .infinity, .nan])
    weight = random.oneIn(3) ? nil : random.pick([0, 60.5, 70])
    born = random.oneIn(3) ? nil : random.oneIn(5) ? random.pick(Self.farDates) : .near(&random)
    isActive = random.oneIn(2)
    isHidden = random.oneIn(3) ? nil : random.oneIn(2)
    mood = random.pick(Mood.allCases)
    rank = random.pick([nil, .low, .high])
    code = Self.codes[Int.random(in: 0..<3, using: &random)]
    balance = random.pick(pool.balances)
    scores = [1, 2]
    home = random.oneIn(2) ? nil : URL(string: "https://example.com/a")
  }

  /// Computed, so that Swift sorts by it.
  var mirrored: Double? { weight.map { $0 * height } }

  static let names =
    ["", "a", "A", "ab", "é", "e\u{301}", "Zoë 10", "zoe 9", "a\r\nb", "👩‍👧", "Ä", "a\0", "\u{301}a"]
    + ["", "a", "b"].map { String(repeating: "long ", count: 110) + $0 }
  static let farDates: [Date] = [
    .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: -.greatestFiniteMagnitude),
    Date(timeIntervalSinceReferenceDate: .infinity), Date(timeIntervalSinceReferenceDate: -0.0),
  ]
  /// Their order is that of the first byte, without a sign, and not that of the last.
  static let codes = (1...3).map { UUID(uuid: ($0 * 85, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4 - $0)) }
}

/// The texts and decimals that people have, and that predicates ask for.
struct PersonPool {
  var names: [String]
  var balances: [Decimal]

  /// Swift's operators decide about these as the store does.
  static let plain = PersonPool(
    names: Person.names,
    balances: [0, 1, -2.5, Decimal(string: "0.1")!, Decimal(string: "12345678901234567890.12345")!])
  /// Swift's operators are of another opinion: see ``FieldOrder``.
  static let odd = PersonPool(
    names: Person.names + ["éf", "e\u{301}g", "ég"], balances: [0, 1, .nan, -2.5, -.greatestFiniteMagnitude])
}

@Model
final class City {
  var name: String
  var size: Int
  var twin: City?
  var people: [Person] = []
  init(name: String, size: Int) {
    self.name = name
    self.size = size
  }
}

@Model
final class Pet {
  var name: String
  var weight: Double?
  var owner: Person?
  init(name: String, weight: Double?) {
    self.name = name
    self.weight = weight
  }
}

@Model
final class Badge {
  var person: Person
  init(person: Person) { self.person = person }
}

/// Some people, their cities and pets, none of them in a context.
struct Population {
  let people: [Person]
  let cities: [City]

  init(_ count: Int, _ random: inout SeededGenerator, _ pool: PersonPool = .plain) {
    let cities = ["a", "b", "é"].enumerated().map { City(name: $1, size: $0) }
    cities[0].twin = cities[1]
    self.cities = cities
    var people: [Person] = []
    for _ in 0..<count {
      let person = Person(&random, pool)
      person.city = random.oneIn(3) ? nil : random.pick(cities)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let weight = random.oneIn(2) ? nil : Double(Int.random(in: 0...2, using: &random))
        person.pets.append(Pet(name: random.pick(["a", "b"]), weight: weight))
      }
      people.append(person)
    }
    self.people = people
  }
}

extension Date {
  fileprivate static func near(_ random: inout SeededGenerator) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -2...2, using: &random)))
  }
}
