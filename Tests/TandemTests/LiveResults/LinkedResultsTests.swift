import Foundation
import Tandem
import Testing

@Model final class Topic {
  var name: String
  var essays: [Essay] = []
  init(name: String) { self.name = name }
}

@Model final class Essay {
  var title: String
  @Relationship(inverse: \Topic.essays) var topics: [Topic] = []
  init(title: String) { self.title = title }
}

/// Results that depend on links which lie in no object's record.
@MainActor
struct LinkedResultsTests {
  // Links of many-to-many relationships are records of no class, and nobody looked for results that they concern.
  // Tests linked one-to-many, where the object with the reference changes.
  @Test(arguments: [false, true])
  func `results over a many-to-many relationship follow the links that others make`(ofContainer: Bool) async throws {
    try await withContainer(for: [Topic.self, Essay.self]) { container in
      let context = ModelContext(ofContainer ? try reopened(container) : container)
      let (topic, essay) = (Topic(name: "sea"), Essay(title: "tides"))
      context.insert(topic)
      context.insert(essay)
      try context.save()
      let observer = try ResultsObserver(
        filterBy: #Predicate<Essay> { essay in essay.topics.contains { $0.name == "sea" } },
        modelContext: container.mainContext)
      let titles = try ResultsObserver(
        filterBy: #Predicate<Essay> { $0.title == "tides" }, modelContext: container.mainContext)
      var changes = observer.changes.makeAsyncIterator()
      #expect(observer.results.isEmpty && titles.results.count == 1)
      essay.topics = [topic]
      try context.save()
      let insertion = try await changes.next(isolation: #isolation)
      #expect(insertion?.insertions == [0] && observer.results.map(\.title) == ["tides"])
      topic.essays = []
      try context.save()
      let removal = try await changes.next(isolation: #isolation)
      #expect(removal?.removals == [0] && observer.results.isEmpty)
      #expect(titles.results.count == 1)
    }
  }
}
