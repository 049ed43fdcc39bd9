import Foundation
import TestSupport
import Testing

@testable import Tandem

/// Aggregates over the store's bytes, and over objects with unsaved changes, are what plain Swift computes.
@Suite struct AggregateDifferentialTests {
  @Test(arguments: 0..<6) func `aggregates are what plain Swift computes over the fetched objects`(_: Int) async throws
  {
    var random = SeededGenerator.announced()
    let population = Population(60, &random)
    try await withContainer(for: [Person.self, City.self, Pet.self]) { container in
      let context = ModelContext(container)
      for city in population.cities { context.insert(city) }
      for person in population.people { context.insert(person) }
      try context.save()
      var predicates = RandomPredicate(random)
      for round in 0..<60 {
        if round == 40 { Self.change(context, population, &random) }
        var descriptor = FetchDescriptor(
          predicate: predicates.next(depth: round % 3), sortBy: [SortDescriptor(\Person.age)])
        if random.oneIn(4) { descriptor.fetchLimit = Int.random(in: 0...20, using: &random) }
        if random.oneIn(4) { descriptor.fetchOffset = Int.random(in: 0...5, using: &random) }
        try Self.compare(context, descriptor)
      }
    }
  }

  private static func change(_ context: ModelContext, _ population: Population, _ random: inout SeededGenerator) {
    for person in population.people where random.oneIn(3) {
      person.age += 1
      person.weight = random.oneIn(2) ? nil : 1.5
    }
    for _ in 0..<5 { context.insert(Person(&random)) }
    for person in population.people.prefix(10) { context.delete(person) }
  }

  private static func compare(_ context: ModelContext, _ descriptor: FetchDescriptor<Person>) throws {
    let people = try context.fetch(descriptor)
    try compareNumbers(context, descriptor, people)
    try compareGroups(context, descriptor, people)
  }

  private static func compareNumbers(
    _ context: ModelContext, _ descriptor: FetchDescriptor<Person>, _ people: [Person]
  ) throws {
    let (count, weighed, names, age, balance) = try context.aggregate(
      .count, .count(of: \.weight), .countDistinct(of: \.name), .sum(of: \.age), .sum(of: \.balance), over: descriptor)
    #expect(count == people.count)
    #expect(weighed == people.count { $0.weight != nil })
    #expect(names == Set(people.map(\.name)).count)
    #expect(age == people.reduce(0) { $0 + $1.age })
    #expect(balance == people.reduce(Decimal(0)) { $0 + $1.balance })

    let (mean, weight, first, last, oldest) = try context.aggregate(
      .average(of: \.age), .sum(of: \.weight), .minimum(of: \.name), .maximum(of: \.name), .minimum(of: \.born),
      over: descriptor)
    #expect(mean == (people.isEmpty ? nil : Double(people.reduce(0) { $0 + $1.age }) / Double(people.count)))
    #expect(weight == people.compactMap(\.weight).reduce(0, +))
    #expect(first == people.map(\.name).min())
    #expect(last == people.map(\.name).max())
    #expect(oldest == people.compactMap(\.born).min())
    // One alone may be read from an index.
    let found1 = try context.aggregate(.minimum(of: \.age), over: descriptor)
    #expect(found1 == people.map(\.age).min())
    let found2 = try context.aggregate(.maximum(of: \.name), over: descriptor)
    #expect(found2 == people.map(\.name).max())
    let heights = people.map(\.height).filter { !$0.isNaN }
    let found3 = try context.aggregate(.maximum(of: \.height), over: descriptor)
    #expect(found3 == heights.max())
    let found4 = try context.aggregate(.minimum(of: \.height), over: descriptor)
    #expect(found4 == heights.min())
  }

  private static func compareGroups(
    _ context: ModelContext, _ descriptor: FetchDescriptor<Person>, _ people: [Person]
  ) throws {
    let byAge = Dictionary(grouping: people, by: \.age)
    let ages = try context.aggregate(.count, .maximum(of: \.balance), groupedBy: \.age, over: descriptor)
    #expect(ages.map(\.key) == byAge.keys.sorted())
    for group in ages {
      #expect(group.values.0 == byAge[group.key]?.count)
      #expect(group.values.1 == byAge[group.key]?.map(\.balance).max())
    }
    let byMood = Dictionary(grouping: people) { [$0.mood.rawValue, $0.nick ?? "nil"] }
    let moods = try context.aggregate(.sum(of: \.age), groupedBy: \.mood, \.nick, over: descriptor)
    #expect(moods.count == byMood.count)
    for group in moods {
      let members = byMood[[group.key.0.rawValue, group.key.1 ?? "nil"]]
      #expect(group.values == members?.reduce(0) { $0 + $1.age })
    }
    let found5 = try Set(context.distinctValues(of: \.code, over: descriptor))
    #expect(found5 == Set(people.map(\.code)))
    let found6 = try Set(context.distinctValues(of: \.isHidden, over: descriptor))
    #expect(found6 == Set(people.map(\.isHidden)))
  }
}
