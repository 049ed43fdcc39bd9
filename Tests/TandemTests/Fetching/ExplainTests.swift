import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

/// Which index serves which fetch, as text.
@Suite struct ExplainTests {
  private func expect(
    _ descriptor: FetchDescriptor<Person>, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await withContainer(for: [Person.self, City.self, Pet.self]) { container in
      let context = ModelContext(container)
      let explanation = try descriptor.explain(in: context)
      #expect(explanation == text, sourceLocation: sourceLocation)
    }
  }

  @Test func `an index answers, the rest is filtered on bytes`() async throws {
    try await expect(
      FetchDescriptor(predicate: #Predicate { $0.age >= 18 && $0.nick == nil }),
      """
      fetch Person
        index 1 on (age): age ≥ 18
        filter: nick = null
        sort: id
      """)
    let mood = Mood.glad
    try await expect(
      FetchDescriptor(predicate: #Predicate { $0.mood == mood }, sortBy: [SortDescriptor(\.name, order: .reverse)]),
      """
      fetch Person
        index 4 on (mood): mood = "glad"
        sort: name↓ as for people
      """)
  }

  @Test func `both parts of a compound index serve, and its order`() async throws {
    var descriptor = FetchDescriptor<Person>(
      predicate: #Predicate { $0.name == "a" && $0.age > 3 }, sortBy: [SortDescriptor(\.age, order: .reverse)])
    descriptor.fetchLimit = 5
    try await expect(
      descriptor,
      """
      fetch Person
        index 3 on (name as for people, age), backward: name = "a" and age > 3
        limit 5
      """)
  }

  @Test func `an index over a text gives people's order, what is equal and what begins alike`() async throws {
    var first = FetchDescriptor<Person>(sortBy: [
      SortDescriptor(\.name, order: .reverse), SortDescriptor(\.age, order: .reverse),
    ])
    first.fetchLimit = 5
    try await expect(
      first,
      """
      fetch Person
        index 3 on (name as for people, age), backward
        limit 5
      """)
    try await expect(
      FetchDescriptor(predicate: #Predicate { $0.name.starts(with: "An") }),
      """
      fetch Person
        index 3 on (name as for people, age): name begins with "An"
        filter: name begins with "An"
        sort: id
      """)
    // Swift's order is another: the index says nothing of what is less or greater, nor of what comes first by it.
    try await expect(
      FetchDescriptor(predicate: #Predicate { $0.name < "B" }),
      """
      fetch Person
        scan the table
        filter: name < "B"
      """)
    first.sortBy = [SortDescriptor(\.name, comparator: .lexical), SortDescriptor(\.age)]
    try await expect(
      first,
      """
      fetch Person
        scan the table
        sort: name, age
        limit 5
      """)
  }

  @Test func `a predicate made of predicates uses the index of its parts`() async throws {
    let adult: Predicate<Person> = .comparing(\.age, .greaterOrEqual, 18)
    let odd = #Predicate<Person> { $0.age % 2 == 1 }
    try await expect(
      FetchDescriptor(predicate: adult && odd),
      """
      fetch Person
        index 1 on (age): age ≥ 18
        sort: id
        in Swift: 1 part of the predicate
      """)
  }

  @Test func `what Swift does is named`() async throws {
    var descriptor = FetchDescriptor<Person>(
      predicate: #Predicate { $0.name.count > 3 && $0.scores == [1] && $0.age == 3 },
      sortBy: [SortDescriptor(\Person.pets.count), SortDescriptor(\.name)])
    descriptor.fetchLimit = 10
    descriptor.fetchOffset = 2
    try await expect(
      descriptor,
      """
      fetch Person
        index 1 on (age): age = 3
        in Swift: 2 parts of the predicate, sort by 2 descriptors, limit 10, offset 2
      """)
  }

  @Test func `relationships, texts and orders for people`() async throws {
    try await expect(
      FetchDescriptor(
        predicate: #Predicate { $0.city?.name == "a" && $0.pets.contains { $0.name == "b" } },
        sortBy: [SortDescriptor(\.name, comparator: .localizedStandard)]),
      """
      fetch Person
        scan the table
        filter: city.name = "a" and any pets (name = "b")
        sort: name as for people
      """)
    try await expect(
      FetchDescriptor(predicate: #Predicate { $0.nick?.localizedStandardContains("x") == true }),
      """
      fetch Person
        scan the table
        filter: nick contains for people "x"
      """)
  }

  @Test func `unsaved changes are named, and a bad descriptor throws`() async throws {
    try await withContainer(for: [Person.self, City.self, Pet.self]) { container in
      let context = ModelContext(container)
      context.insert(City(name: "a", size: 1))
      let explanation = try FetchDescriptor<City>().explain(in: context)
      #expect(explanation == "fetch City\n  scan the table\n  unsaved changes are weighed in Swift")
      var descriptor = FetchDescriptor<City>()
      descriptor.fetchLimit = -1
      let bad = descriptor
      expectError(.invalidRequest) { try bad.explain(in: context) }
      expectError(.invalidRequest) { try context.fetch(bad) }
      expectError(.invalidRequest) { try context.fetchCount(bad) }
      expectError(.invalidRequest) { try context.enumerate(bad) { _ in } }
      descriptor.fetchLimit = .max
      descriptor.fetchOffset = .max
      #expect(try context.fetch(descriptor).isEmpty)
      descriptor.fetchOffset = nil
      #expect(try context.fetch(descriptor).count == 1)
    }
  }
}
