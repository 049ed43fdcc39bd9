import Foundation
import RecordStore
import Tandem
import Testing

// The code of the article GettingStarted.

@Model final class Journey {
  @Attribute(.unique) var name: String
  var start: Date
  @Relationship(deleteRule: .cascade, inverse: \Halt.journey) var halts: [Halt] = []

  init(name: String, start: Date) {
    self.name = name
    self.start = start
  }
}

@Model final class Halt {
  var place: String
  var nights: Int
  var journey: Journey?

  init(place: String, nights: Int) {
    self.place = place
    self.nights = nights
  }
}

@ModelActor actor Importer {
  func addNight(to id: PersistentIdentifier) throws {
    self[id, as: Halt.self]?.nights += 1
    try modelContext.save()
  }
}

struct GettingStartedTests {
  @Test func `the tour runs as it is written`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appending(path: "tour.store")
    let start = Date(timeIntervalSinceReferenceDate: 0)

    let container = try ModelContainer(for: Journey.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)

    let journey = Journey(name: "Carpathians", start: start)
    journey.halts = [Halt(place: "Yaremche", nights: 2), Halt(place: "Verkhovyna", nights: 1)]
    context.insert(journey)
    try context.save()

    let long = FetchDescriptor<Halt>(predicate: #Predicate { $0.nights >= 2 }, sortBy: [SortDescriptor(\.place)])
    let halts = try context.fetch(long)
    let count = try context.fetchCount(FetchDescriptor<Journey>())
    #expect(halts.map(\.place) == ["Yaremche"])
    #expect(count == 1)

    journey.halts[0].nights = 3
    context.delete(journey.halts[1])
    try context.save()

    journey.name = "Beskids"
    context.rollback()
    #expect(journey.name == "Carpathians")
    #expect(journey.halts.map(\.nights) == [3])

    try context.transaction(once: "welcome") {
      context.insert(Journey(name: "Your first journey", start: start))
    }
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 2)

    let following = Task {
      for try await transaction in container.changes {
        print(transaction.origin, transaction.author ?? "somebody", transaction.inserted.count)
      }
    }
    let importer = Importer(modelContainer: container)
    let id = journey.halts[0].persistentModelID
    while try await importer.nights(of: id) < 5 { try await importer.addNight(to: id) }
    following.cancel()
    context.processPendingChanges()
    #expect(journey.halts[0].nights == 5)
    #expect(try container.store.integrityViolations() == [])

    let shared = ModelConfiguration("Journal", groupContainer: .identifier("group.org.example.journal"))
    let reader = ModelConfiguration(
      "Journal", allowsSave: false, groupContainer: .identifier("group.org.example.journal"))
    #expect(shared.url == reader.url && !reader.allowsSave)
  }
}

extension Importer {
  func nights(of id: PersistentIdentifier) throws -> Int { self[id, as: Halt.self]?.nights ?? 0 }
}
