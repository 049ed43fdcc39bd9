import Foundation
import RecordStore
import TestSupport
import Testing

@testable import Tandem

@Suite struct PredicateDifferentialTests {
  @Test func `filter and rest together accept what the predicate accepts`() {
    var random = SeededGenerator.announced()
    let population = Population(60, &random)
    let table = FilterOracle.table(of: Person.self)
    let oracle = FilterOracle(table: table)
    var predicates = RandomPredicate(random)
    var decidedByStore = 0
    for round in 0..<2000 {
      let predicate = predicates.next(depth: round % 4)
      let translation = PredicateTranslation(predicate, in: table)
      if translation.residual == nil { decidedByStore += 1 }
      for person in population.people {
        let expected = FetchDescriptor(predicate: predicate).accepts(person)
        let actual = oracle.accepts(person, translation.filter) && translation.residual?.accepts(person) != false
        guard expected == actual else {
          let text = FilterText(of: Person.self).text(translation.filter)
          Issue.record("\(expected) became \(actual) in round \(round)\n\(predicate)\n\(text)")
          return
        }
      }
    }
    #expect(decidedByStore > 500)
  }

  @Test func `a fetch gives the objects that the predicate accepts, in the descriptors' order`() async throws {
    var random = SeededGenerator.announced()
    let population = Population(80, &random)
    try await withContainer(for: [Person.self, City.self, Pet.self]) { container in
      let context = ModelContext(container)
      for city in population.cities { context.insert(city) }
      for person in population.people { context.insert(person) }
      try context.save()
      var predicates = RandomPredicate(random)
      for round in 0..<400 {
        var descriptor = FetchDescriptor(predicate: predicates.next(depth: round % 4), sortBy: Self.order(&random))
        let all = population.people.filter { descriptor.accepts($0) }
          .sorted(by: ModelOrder(descriptor.sortBy).precedes)
        if random.oneIn(3) { descriptor.fetchLimit = Int.random(in: 0...5, using: &random) }
        if random.oneIn(3) { descriptor.fetchOffset = Int.random(in: 0...5, using: &random) }
        let expected = descriptor.window(all)
        let actual = try context.fetch(descriptor)
        guard expected.elementsEqual(actual, by: ===) else {
          let predicate = descriptor.predicate.map { "\($0)" } ?? "all"
          Issue.record("\(expected.count) became \(actual.count) in round \(round)\n\(predicate)\n\(descriptor.sortBy)")
          return
        }
        #expect(try context.fetchCount(descriptor) == expected.count)
      }
    }
  }

  private static func order(_ random: inout SeededGenerator) -> [SortDescriptor<Person>] {
    let direction: SortOrder = random.oneIn(2) ? .forward : .reverse
    let first: SortDescriptor<Person> =
      switch Int.random(in: 0..<12, using: &random) {
      case 0: SortDescriptor(\.age, order: direction)
      case 1: SortDescriptor(\.name, order: direction)
      case 2: SortDescriptor(\.nick, order: direction)
      case 3: SortDescriptor(\.born, order: direction)
      case 4: SortDescriptor(\.weight, order: direction)
      case 5: SortDescriptor(\.isActive, order: direction)
      case 6: SortDescriptor(\.balance, order: direction)
      case 7: SortDescriptor(\.code, order: direction)
      case 8: SortDescriptor(\.name, comparator: .localizedStandard, order: direction)
      case 9: SortDescriptor(\.nick, comparator: .localizedStandard, order: direction)
      case 10: SortDescriptor(\.name, comparator: .lexical, order: direction)
      default: SortDescriptor(\.pets.count, order: direction)
      }
    return random.oneIn(2) ? [first] : [first, SortDescriptor(\.age)]
  }

  @Test func `orders that the store knows are not left to Swift`() {
    let table = FilterOracle.table(of: Person.self)
    func keys(_ descriptor: SortDescriptor<Person>) -> [RecordQuery.SortKey]? {
      SortTranslation.keys([descriptor], in: table)
    }
    #expect(keys(SortDescriptor(\.age, order: .reverse)) == [.init(FieldPath(2), isDescending: true)])
    #expect(keys(SortDescriptor(\.isActive)) == [.init(FieldPath(6))])
    #expect(
      keys(SortDescriptor(\.nick, comparator: .localizedStandard))
        == [.init(FieldPath(1), comparison: .localizedStandard)])
    #expect(keys(SortDescriptor(\.name, comparator: .lexical)) == nil)
    #expect(keys(SortDescriptor(\.pets.count)) == nil)
    #expect(
      SortTranslation.keys([SortDescriptor(\Badge.person.name)], in: FilterOracle.table(of: Badge.self))
        == [.init(FieldPath(0, 0))])
  }
}
