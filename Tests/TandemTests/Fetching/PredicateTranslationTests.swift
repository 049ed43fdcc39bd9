import Foundation
import RecordStore
import Testing

@testable import Tandem

/// What becomes of each form of predicate, as text: the filter that the store gets, and how many parts are left.
@Suite struct PredicateTranslationTests {
  private func text(_ predicate: Predicate<Person>) -> String {
    let translation = PredicateTranslation(predicate, in: FilterOracle.table(of: Person.self))
    let rest = translation.residual.map { " + \($0.parts.count) in Swift" } ?? ""
    return FilterText(of: Person.self).text(translation.filter) + rest
  }

  private let now = Date(timeIntervalSinceReferenceDate: 0)

  @Test func `comparisons with values`() {
    let name = "x"
    let mood = Mood.glad
    let code = Person.codes[0]
    #expect(text(#Predicate { $0.name == name }) == #"name == "x""#)
    #expect(text(#Predicate { $0.age != 3 && $0.age < 5 && 7 <= $0.age }) == "(age != 3) and (age < 5) and (age >= 7)")
    #expect(text(#Predicate { $0.mood == mood }) == #"mood == "glad""#)
    #expect(text(#Predicate { $0.mood.rawValue == "glad" }) == #"mood == "glad""#)
    #expect(text(#Predicate { $0.rank?.rawValue == 5 }) == "all + 1 in Swift")
    #expect(text(#Predicate { $0.code == code }) == "code == 03")
    #expect(
      text(#Predicate { $0.isActive && !($0.isHidden ?? false) }) == "(isActive == true) and (not (isHidden == true))")
    #expect(text(#Predicate { $0.isActive == false }) == "isActive == false")
    #expect(text(#Predicate { $0.balance > 2.5 }) == "balance > 2.5")
  }

  @Test func `nil and optionals`() {
    let now = now
    #expect(text(#Predicate { $0.nick == nil }) == "nick == nil")
    #expect(text(#Predicate { $0.nick != nil && $0.nick == "a" }) == #"(nick != nil) and (nick == "a")"#)
    #expect(text(#Predicate { ($0.born ?? now) <= now }) == "(born == nil) or (born <= 0.0 s)")
    #expect(text(#Predicate { if let born = $0.born { born < now } else { false } }) == "born < 0.0 s")
    #expect(text(#Predicate { $0.born.flatMap { $0 < now } ?? true }) == "(born < 0.0 s) or (born == nil)")
    #expect(text(#Predicate { $0.born! < now }) == "born < 0.0 s")
    #expect(text(#Predicate { $0.isActive || $0.born! < now }) == "all + 1 in Swift")
    #expect(text(#Predicate { $0.nick?.contains("a") == true }) == #"nick contains "a""#)
    #expect(text(#Predicate { ($0.nick ?? "b").contains("b") }) == #"(nick == nil) or (nick contains "b")"#)
  }

  @Test func `texts`() {
    #expect(text(#Predicate { $0.name.contains("a") }) == #"name contains "a""#)
    #expect(
      text(#Predicate { $0.name.starts(with: "a") && !$0.name.isEmpty })
        == #"(name hasPrefix "a") and (not (name == ""))"#)
    #expect(text(#Predicate { $0.name.localizedStandardContains("a") }) == #"name contains for people "a""#)
    let same = ComparisonResult.orderedSame
    #expect(text(#Predicate { $0.name.caseInsensitiveCompare("a") == same }) == "all + 1 in Swift")
    #expect(text(#Predicate { $0.name.contains(/a/) }) == "all + 1 in Swift")
  }

  @Test func `sets and ranges`() {
    let names = ["a", "b"]
    let ages: Set = [3]
    let moods: [Mood] = [.calm, .wild]
    // Equal to nothing.
    let heights = [1.75, .nan, -0.5]
    let range = 1..<3
    #expect(text(#Predicate { names.contains($0.name) }) == #"name in ["a", "b"]"#)
    #expect(text(#Predicate { ages.contains($0.age) }) == "age in [3]")
    #expect(text(#Predicate { moods.contains($0.mood) }) == #"mood in ["calm", "wild"]"#)
    #expect(text(#Predicate { heights.contains($0.height) }) == "height in [double(-0.5), double(1.75)]")
    #expect(
      text(#Predicate { (1...3).contains($0.age) && range.contains($0.age) })
        == "(age >= 1) and (age <= 3) and (age >= 1) and (age < 3)")
  }

  @Test func `relationships to one`() {
    let id = PersistentIdentifier(recordID: RecordID(high: 0, low: 1), entityName: "City", storeIdentifier: nil)
    #expect(text(#Predicate { $0.city?.name == "a" }) == #"city.name == "a""#)
    #expect(text(#Predicate { $0.city?.twin?.name != nil }) == "city.twin.name != nil")
    #expect(text(#Predicate { $0.city == nil }) == "city == nil")
    #expect(text(#Predicate { $0.city?.persistentModelID == id }) == "city == #1")
    #expect(text(#Predicate { $0.city?.persistentModelID == nil }) == "city == nil")
    #expect(text(#Predicate { $0.city!.size > 3 }) == "city.size > 3")
  }

  @Test func `relationships to many`() {
    #expect(text(#Predicate { $0.pets.contains { $0.name == "a" } }) == #"any pets(name == "a")"#)
    #expect(text(#Predicate { $0.pets.allSatisfy { $0.weight != nil } }) == "all pets(weight != nil)")
    #expect(text(#Predicate { $0.pets.filter { $0.name == "a" }.count >= 2 }) == #"count pets(name == "a") >= 2"#)
    #expect(
      text(#Predicate { $0.pets.isEmpty || $0.pets.count == 3 }) == "(count pets(all) == 0) or (count pets(all) == 3)")
    #expect(text(#Predicate { person in person.pets.contains { $0.name == person.name } }) == "all + 1 in Swift")
  }

  @Test func `identifiers`() {
    let id = PersistentIdentifier(recordID: RecordID(high: 0, low: 1), entityName: "Person", storeIdentifier: nil)
    let other = PersistentIdentifier(recordID: RecordID(high: 0, low: 1), entityName: "City", storeIdentifier: nil)
    let ids = [id]
    #expect(text(#Predicate { $0.persistentModelID == id }) == "id in [#1]")
    #expect(text(#Predicate { $0.id != id }) == "not (id in [#1])")
    #expect(text(#Predicate { $0.persistentModelID == other }) == "none")
    #expect(text(#Predicate { ids.contains($0.persistentModelID) }) == "id in [#1]")
  }

  @Test func `what the store can not decide stays in Swift, part by part`() {
    #expect(
      text(#Predicate { $0.age * 2 == 4 && $0.name == "a" && $0.scores.contains(3) }) == #"name == "a" + 2 in Swift"#)
    #expect(text(#Predicate { $0.age * 2 == 4 || $0.name == "a" }) == "all + 1 in Swift")
    #expect(text(#Predicate { $0.scores == [1] }) == "all + 1 in Swift")
    #expect(text(#Predicate { $0.name.count == 2 }) == "all + 1 in Swift")
  }

  @Test func `values alone`() {
    let limit = 3
    let nan = Double.nan
    #expect(text(#Predicate { _ in true }) == "all")
    #expect(text(#Predicate { $0.age > limit * 2 + 1 }) == "age > 7")
    #expect(
      text(#Predicate { $0.isActive ? $0.age == 1 : $0.age == 2 })
        == "((isActive == true) and (age == 1)) or ((not (isActive == true)) and (age == 2))")
    #expect(text(#Predicate { $0.height == nan || $0.height != nan }) == "all")
    #expect(text(#Predicate { $0.age == $0.scores[0] || $0.name == $0.mood.rawValue }) == "all + 1 in Swift")
  }
}
