import Foundation
import RecordStore
import TestSupport
import Testing

@testable import Tandem

/// Random predicates and orders against plain Swift over the same objects. The long form makes it 10,000 of each.
@Suite struct PredicateDifferentialTests {
  @Test func `filter and rest together accept what the predicate accepts`() {
    var random = SeededGenerator.announced()
    let population = Population(60, &random)
    let table = FilterOracle.table(of: Person.self)
    let oracle = FilterOracle(table: table)
    var predicates = RandomPredicate(random)
    var decidedByStore = 0
    for round in 0..<(TestLength.isLong ? 10_000 : 2_000) {
      let predicate = predicates.next(depth: round % 4)
      let translation = PredicateTranslation(predicate, in: table)
      if translation.residual == nil { decidedByStore += 1 }
      for person in population.people {
        let expected = (try? predicate.evaluate(person)) ?? false
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
      for round in 0..<(TestLength.isLong ? 10_000 : 400) {
        var descriptor = FetchDescriptor(predicate: predicates.next(depth: round % 4), sortBy: Self.order(&random))
        let all = population.people.filter { (try? descriptor.predicate?.evaluate($0)) ?? false }
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

  @Test func `a fetch with unsaved changes gives what plain Swift finds among the objects as they are`() async throws {
    var random = SeededGenerator.announced()
    let population = Population(60, &random)
    try await withContainer(for: [Person.self, City.self, Pet.self]) { container in
      let context = ModelContext(container)
      for city in population.cities { context.insert(city) }
      for person in population.people.prefix(40) { context.insert(person) }
      try context.save()
      for person in population.people.dropFirst(40) { context.insert(person) }
      for person in population.people.prefix(20) {
        person.age = Int.random(in: -3...4, using: &random)
        person.nick = random.oneIn(2) ? nil : random.pick(Person.names)
        person.city = random.oneIn(2) ? nil : random.pick(population.cities)
        if random.oneIn(3) { person.pets.append(Pet(name: "a", weight: nil)) }
      }
      var living = population.people
      for person in living.suffix(50) where random.oneIn(5) {
        context.delete(person)
        living.removeAll { $0 === person }
      }
      var predicates = RandomPredicate(random)
      let rounds = TestLength.isLong ? 10_000 : 300
      // It takes in the save below by itself.
      let fresh = ModelContext(container)
      for round in 0..<2 * rounds {
        if round == rounds { try context.save() }
        var descriptor = FetchDescriptor(predicate: predicates.next(depth: round % 4), sortBy: Self.order(&random))
        let all = living.filter { (try? descriptor.predicate?.evaluate($0)) ?? false }
          .sorted(by: ModelOrder(descriptor.sortBy).precedes)
        if random.oneIn(3) { descriptor.fetchLimit = Int.random(in: 0...5, using: &random) }
        if random.oneIn(3) { descriptor.fetchOffset = Int.random(in: 0...5, using: &random) }
        let expected = descriptor.window(all)
        let actual = try context.fetch(descriptor)
        var enumerated: [Person] = []
        try context.enumerate(descriptor, batchSize: 7) { enumerated.append($0) }
        guard expected.elementsEqual(actual, by: ===), expected.elementsEqual(enumerated, by: ===) else {
          let predicate = descriptor.predicate.map { "\($0)" } ?? "all"
          Issue.record("\(expected.count) became \(actual.count) in round \(round)\n\(predicate)\n\(descriptor.sortBy)")
          return
        }
        descriptor.includePendingChanges = false
        let stored = try fresh.fetch(descriptor)
        guard try context.fetch(descriptor) == stored,
          try context.aggregate(.sum(of: \Person.age), over: descriptor) == stored.map(\.age).reduce(0, +)
        else {
          let predicate = descriptor.predicate.map { "\($0)" } ?? "all"
          Issue.record("What is stored is found elsewhere, in round \(round)\n\(predicate)\n\(descriptor.sortBy)")
          return
        }
      }
    }
  }

  /// Of values that Swift's own operators compare otherwise than the store, and of which Swift decides before the save.
  @Test func `a fetch finds the same before a save and after it`() async throws {
    var random = SeededGenerator.announced()
    let population = Population(60, &random, .odd)
    try await withContainer(for: [Person.self, City.self, Pet.self]) { container in
      let context = ModelContext(container)
      for city in population.cities { context.insert(city) }
      for person in population.people { context.insert(person) }
      var predicates = RandomPredicate(random, .odd)
      let descriptors = (0..<(TestLength.isLong ? 10_000 : 400)).map { round in
        var descriptor = FetchDescriptor(predicate: predicates.next(depth: round % 3), sortBy: Self.order(&random))
        if random.oneIn(3) { descriptor.fetchLimit = Int.random(in: 0...5, using: &random) }
        return descriptor
      }
      let before = try descriptors.map { try context.fetch($0) }
      try context.save()
      let fresh = ModelContext(container)
      for (descriptor, expected) in zip(descriptors, before) {
        let after = try context.fetch(descriptor)
        let found = try fresh.fetch(descriptor)
        guard after == expected, found == expected else {
          let predicate = descriptor.predicate.map { "\($0)" } ?? "all"
          Issue.record("\(expected.count), then \(after.count) or \(found.count)\n\(predicate)\n\(descriptor.sortBy)")
          return
        }
      }
    }
  }

  private static func order(_ random: inout SeededGenerator) -> [SortDescriptor<Person>] {
    let direction: SortOrder = random.oneIn(2) ? .forward : .reverse
    let first: SortDescriptor<Person> =
      switch Int.random(in: 0..<15, using: &random) {
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
      case 11: SortDescriptor(\.city?.size, order: direction)
      case 12: SortDescriptor(\.height, order: direction)
      case 13: SortDescriptor(\.mirrored, order: direction)
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
    #expect(keys(SortDescriptor(\.code, order: .reverse)) == [.init(FieldPath(10), isDescending: true)])
    #expect(
      keys(SortDescriptor(\.nick, comparator: .localizedStandard))
        == [.init(FieldPath(1), comparison: .localizedStandard)])
    #expect(keys(SortDescriptor(\.name, comparator: .lexical)) == [.init(FieldPath(0))])
    #expect(
      keys(SortDescriptor(\.name, comparator: .lexical, order: .reverse)) == [.init(FieldPath(0), isDescending: true)])
    #expect(keys(SortDescriptor(\.city?.name)) == nil)
    #expect(keys(SortDescriptor(\.pets.count)) == nil)
    #expect(
      SortTranslation.keys([SortDescriptor(\Badge.person.name)], in: FilterOracle.table(of: Badge.self))
        == [.init(FieldPath(0, 0), comparison: .localizedStandard)])
    #expect(
      SortTranslation.keys(
        [SortDescriptor(\Badge.person.name, comparator: .lexical)], in: FilterOracle.table(of: Badge.self))
        == [.init(FieldPath(0, 0))])
    #expect(keys(SortDescriptor(\.name)) == [.init(FieldPath(0), comparison: .localizedStandard)])
    #expect(
      SortTranslation.keys([SortDescriptor(\Badge.person.isActive)], in: FilterOracle.table(of: Badge.self))
        == [.init(FieldPath(0, 6))])
    #expect(
      SortTranslation.keys(
        [SortDescriptor(\Badge.person.nick, comparator: .localizedStandard, order: .reverse)],
        in: FilterOracle.table(of: Badge.self))
        == [.init(FieldPath(0, 1), isDescending: true, comparison: .localizedStandard)])
  }
}
