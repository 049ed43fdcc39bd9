import Foundation
import Tandem
import Testing

/// The code in the comments of results that stay true.
@MainActor struct LiveResultExampleTests {
  @Test func `a list follows steps, and sections have titles`() async throws {
    try await withContainer(for: Trip.self) { container in
      let context = container.mainContext
      context.insert(Trip(code: "A1", destination: "Lviv", nights: 3))
      context.insert(Trip(code: "A2", destination: "Lviv", nights: 1))
      try context.save()
      let observer = try ResultsObserver(
        sortBy: [SortDescriptor(\Trip.code)], sectionBy: \.destination, modelContext: context)

      func heading(_ section: ResultsSection<Trip, String>) -> String { "\(section.title) (\(section.count))" }
      func headings(_ sections: SectionedResults<Trip, String>) -> [String] { sections.map(heading) }
      #expect(headings(try #require(observer.sections)) == ["Lviv (2)"])
    }
  }

  @Test func `steps are applied to rows`() async throws {
    try await withContainer(for: Trip.self) { container in
      let trips = try ResultsObserver(sortBy: [SortDescriptor(\Trip.code)], modelContext: container.mainContext)
      var rows: [String] = []

      func apply(_ change: ResultsDifference, _ results: FetchResultsCollection<Trip>) {
        let moved: [ResultsDifference.Move] = change.moves
        for row in (change.removals + moved.map(\.from)).sorted(by: >) { rows.remove(at: row) }
        for row in (change.insertions + moved.map(\.to)).sorted() { rows.insert(results[row].name, at: row) }
        for row in change.updates { rows[row] = results[row].name }
      }
      let followed = Task {
        for try await change in trips.changes {
          apply(change, trips.results)
          if rows == ["Alps", "Tatra"] { break }
        }
      }
      let context = ModelContext(container)
      let alps = Trip(code: "B1", name: "Alps")
      context.insert(alps)
      context.insert(Trip(code: "B2", name: "Tatra"))
      try context.save()
      try await followed.value

      alps.code = "C1"
      try context.save()
      for try await change in trips.changes {
        apply(change, trips.results)
        if rows == ["Tatra", "Alps"] { break }
      }
    }
  }

  @Test func `a list and a count follow a container`() async throws {
    try await withContainer(for: Trip.self) { container in
      let following = Task {
        let list = Rows()
        let trips = try ResultsObserver(sortBy: [SortDescriptor(\Trip.start)], modelContext: container.mainContext)
        for try await change in trips.changes { list.apply(change, trips.results) }
      }
      let counting = Task {
        func refresh(_ changes: [HistoryChange]) {}
        let observer = try HistoryObserver(observedModels: [Trip.self], authors: ["widget"], modelContainer: container)
        for try await transaction in observer.transactions { refresh(transaction.changes) }
      }
      for task in [following, counting] {
        task.cancel()
        try await task.value
      }
    }
  }
}

@MainActor private final class Rows {
  func apply(_ change: ResultsDifference, _ results: FetchResultsCollection<Trip>) {}
}
