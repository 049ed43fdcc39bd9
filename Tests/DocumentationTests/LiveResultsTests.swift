import Foundation
import Observation
import Tandem
import Testing

@MainActor @Observable
final class TripList {
  private let observer: ResultsObserver<Trip, String>
  var titles: [String] { observer.sections?.map(\.title) ?? [] }
  var codes: [String] { observer.results.map(\.code) }

  init(_ container: ModelContainer) throws {
    observer = try ResultsObserver(
      sortBy: [SortDescriptor(\.destination), SortDescriptor(\.code)], sectionBy: \.destination,
      modelContext: container.mainContext)
  }
}

/// A list as a toolkit has it, which is told of steps.
@MainActor private final class ListView {
  var rows = 0
  func delete(_ removals: [Int]) { rows -= removals.count }
  func insert(_ insertions: [Int]) { rows += insertions.count }
  func move(_ moves: [ResultsDifference.Move]) {}
  func reload(_ updates: [Int]) {}
}

/// The code of the article LiveResults.
@MainActor struct LiveResultsArticleTests {
  @Test func `a list, its steps and its transactions follow saves of others`() async throws {
    try await withContainer(for: Trip.self) { container in
      let trips = try TripList(container)
      let observer = try ResultsObserver<Trip, Never>(
        fetchDescriptor: FetchDescriptor<Trip>(), modelContext: container.mainContext)
      let list = ListView()
      let steps = Task {
        for try await change in observer.changes {
          list.delete(change.removals)
          list.insert(change.insertions)
          list.move(change.moves)
          list.reload(change.updates)
        }
      }
      defer { steps.cancel() }
      let told = try await tellOfWidget(in: container)
      while list.rows == 0 { await Task.yield() }
      #expect(list.rows == 1 && told == 1)
      #expect(trips.titles == ["Lviv"] && trips.codes == ["A1"])
    }
  }

  /// How many changes a widget's save is told to have made.
  private func tellOfWidget(in container: ModelContainer) async throws -> Int {
    var count = 0
    let (ended, end) = AsyncStream<Void>.makeStream()
    func refresh(_ changes: [HistoryChange]) {
      count += changes.count
      end.yield()
    }
    let observer = try HistoryObserver(observedModels: [Trip.self], authors: ["widget"], modelContainer: container)
    let following = Task {
      for try await transaction in observer.transactions { refresh(transaction.changes) }
    }
    let widget = ModelContext(container)
    widget.author = "widget"
    widget.insert(Trip(code: "A1", destination: "Lviv"))
    try widget.save()
    var first = ended.makeAsyncIterator()
    await first.next()
    following.cancel()
    return count
  }
}
