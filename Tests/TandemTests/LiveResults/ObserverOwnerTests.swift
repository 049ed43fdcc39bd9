import Foundation
import Tandem
import TestSupport
import Testing

@ModelActor
private actor Keeper {
  private var results: ResultsObserver<Note, Never>?
  private var history: HistoryObserver?

  func observe() throws {
    results = try ResultsObserver(sortBy: [SortDescriptor(\.text)], modelContext: modelContext)
    history = try HistoryObserver(modelContainer: modelContainer)
  }
  func texts() -> [String] { results?.results.map(\.text) ?? [] }
  func changes() -> AsyncThrowingStream<ResultsDifference, any Error>? { results?.changes }
}

struct ObserverOwnerTests {
  /// The task that waits for an observer's commits kept the actor to which it belongs, and with it the observer itself.
  @Test(.timeLimit(.minutes(TestLength.minutesUntilHung)))
  func `an actor that holds its observers goes when it is let go, and with it their streams`() async throws {
    try await withContainer(for: [Note.self]) { container in
      var keeper: Keeper? = Keeper(modelContainer: container)
      weak let weakKeeper = keeper
      try await keeper?.observe()
      let changes = try #require(await keeper?.changes())
      let context = ModelContext(container)
      context.insert(Note(text: "a"))
      try context.save()
      var iterator = changes.makeAsyncIterator()
      let change = try await iterator.next(isolation: #isolation)
      #expect(change?.insertions == [0])
      #expect(await keeper?.texts() == ["a"])
      keeper = nil
      // Ends with the observer, whose owner is the actor.
      let last = try await iterator.next(isolation: #isolation)
      #expect(last == nil)
      #expect(weakKeeper == nil)
    }
  }
}
