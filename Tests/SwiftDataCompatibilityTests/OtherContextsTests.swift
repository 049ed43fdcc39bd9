import SwiftData
import Testing

/// When the main context's objects show what other contexts saved, and what becomes of a loop whose objects go
/// meanwhile.
@MainActor
@Suite struct OtherContextsTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let trip: Trip

  init() throws {
    container = try makeContainer()
    context = container.mainContext
    trip = Trip(code: "A1", name: "old", destination: "Lviv", start: .day(1))
    context.insert(trip)
    try context.save()
  }

  /// Waits for the main actor's next turn.
  private func turn() async { await Task { @MainActor in }.value }

  /// Another context changes the same trip and saves, while the main actor has no turn.
  private func saveElsewhere(_ change: (Trip, ModelContext) -> Void) throws {
    let other = ModelContext(container)
    let same = try #require(other.model(for: trip.persistentModelID) as? Trip)
    change(same, other)
    try other.save()
  }

  @Test func `an object shows what another context saved at the main actor's next turn, not before`() async throws {
    try saveElsewhere { same, _ in same.name = "new" }
    #expect(trip.name == "old")
    await turn()
    #expect(trip.name == "new" && !context.hasChanges)
  }

  @Test func `a fetch, a save and processPendingChanges show it at once`() throws {
    try saveElsewhere { same, _ in same.name = "by fetch" }
    #expect(trip.name == "old")
    #expect(try context.fetch(FetchDescriptor<Trip>()).first === trip && trip.name == "by fetch")
    try saveElsewhere { same, _ in same.name = "by save" }
    #expect(trip.name == "by fetch")
    context.insert(Passport(number: "1"))
    try context.save()
    #expect(trip.name == "by save")
    try saveElsewhere { same, _ in same.name = "by request" }
    context.processPendingChanges()
    #expect(trip.name == "by request")
  }

  @Test func `an object that was changed here keeps what was set and shows the rest`() async throws {
    context.autosaveEnabled = false
    trip.name = "mine"
    try saveElsewhere { same, _ in (same.name, same.destination) = ("theirs", "Odesa") }
    #expect(trip.name == "mine" && trip.destination == "Lviv")
    await turn()
    #expect(trip.name == "mine" && trip.destination == "Odesa" && context.hasChanges)
    context.rollback()
    #expect(trip.name == "theirs" && trip.destination == "Odesa")
  }

  @Test func `an object that was deleted elsewhere is there until the next turn, and then deleted`() async throws {
    try saveElsewhere { same, other in other.delete(same) }
    #expect(!trip.isDeleted && trip.name == "old")
    await turn()
    #expect(trip.isDeleted && trip.name == "old" && trip.modelContext == nil)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test func `a list shows what another context added at the next turn`() async throws {
    #expect(trip.stops.isEmpty)
    try saveElsewhere { same, _ in same.stops.append(Stop(place: "Stryi", order: 1)) }
    #expect(trip.stops.isEmpty)
    await turn()
    #expect(trip.stops.map(\.place) == ["Stryi"])
  }

  @Test func `what was changed here and deleted elsewhere saves itself without an error`() async throws {
    trip.name = "changed"
    let kept = Trip(code: "B1", name: "kept", destination: "Odesa", start: .day(2))
    context.insert(kept)
    try saveElsewhere { same, other in other.delete(same) }
    await turn()
    #expect(trip.isDeleted && !context.hasChanges)
    #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.code) == ["B1"])
  }

  /// Reads, refreshes, counts and goes through objects, changes them and saves, while another thread resets the store.
  @Test func `a loop beside resets of the store finds deleted objects or none, and an error only from its saves`()
    async throws
  {
    let container = container
    let resets = Task.detached {
      for round in 0..<60 {
        let other = ModelContext(container)
        for number in 0..<10 {
          let trip = Trip(code: "\(round)-\(number)", name: "n", destination: "d", start: .day(number))
          other.insert(trip)
          trip.stops = [Stop(place: "p", order: 1), Stop(place: "q", order: 2)]
        }
        try other.save()
        switch round % 3 {
        case 0: try container.erase()
        case 1: container.deleteAllData()
        default:
          try other.delete(model: Trip.self)
          try other.save()
        }
        await Task.yield()
      }
    }
    let isOver = Flag()
    let watch = Task { @MainActor in
      defer { isOver.value = true }
      try await resets.value
    }
    var stored = FetchDescriptor<Stop>()
    stored.includePendingChanges = false
    var rounds = 0
    while !isOver.value {
      let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
      for trip in trips {
        _ = (trip.name, trip.destination, trip.stops.map(\.place), trip.lead?.email)
        trip.name = "seen"
      }
      _ = try context.fetchCount(FetchDescriptor<Stop>(predicate: #Predicate { $0.trip?.name == "seen" }))
      for stop in try context.fetch(stored, batchSize: 3) { _ = (stop.place, stop.trip?.name) }
      try context.enumerate(FetchDescriptor<Trip>()) { _ = $0.stops.count }
      context.processPendingChanges()
      if rounds % 2 == 0 {
        do {
          try context.save()
        } catch is SwiftDataError {
          context.rollback()
        }
      }
      rounds += 1
      await turn()
    }
    try await watch.value
    await turn()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0 && !context.hasChanges)
  }
}

@MainActor private final class Flag {
  var value = false
}
