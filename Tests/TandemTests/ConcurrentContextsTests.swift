import Foundation
import Tandem
import Testing

@ModelActor private actor Account {
  func transfer(_ count: Int) throws {
    for number in 0..<count {
      let stops = try modelContext.fetch(FetchDescriptor<Stop>(sortBy: [SortDescriptor(\.place)]))
      stops[number % stops.count].place += ""
      modelContext.insert(Photo(title: "\(number)", stop: stops[number % stops.count]))
      try modelContext.save()
    }
  }

  func photoCount() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Photo>()) }
}

struct ConcurrentContextsTests {
  @Test func `contexts on several actors work at the same time and lose nothing`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      for place in ["a", "b", "c"] { context.insert(Stop(place: place)) }
      try context.save()
      let stops = try context.fetch(FetchDescriptor<Stop>())
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          let account = Account(modelContainer: container)
          group.addTask { try await account.transfer(25) }
        }
        try await group.waitForAll()
      }
      #expect(try await Account(modelContainer: container).photoCount() == 100)
      context.processPendingChanges()
      #expect(stops.map(\.photos.count).reduce(0, +) == 100)
    }
  }
}
