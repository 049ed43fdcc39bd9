import Foundation
import RecordStore
import Synchronization
import Tandem
import Testing

/// `ModelContainer.batch`: several saves that are one durable commit.
@Suite struct BatchTests {
  private struct Refusal: Error {}

  private func codes(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)])).map(\.code)
  }

  private func number(_ container: ModelContainer) throws -> UInt64 {
    try container.store.read { try $0.lastTransactionNumber }
  }

  @Test func `once transactions of a batch are one commit, and each its own transaction in the history`() async throws {
    try await withContainer { container throws in
      let path = container.store.url.path
      let commits = Mutex(0)
      let observation = StoreEvents.observe { event in
        if case .saved(path, _) = event { commits.withLock { $0 += 1 } }
      }
      defer { observation.end() }
      let before = try number(container)
      let outcomes = try container.batch { context in
        try ["A", "B", "A", "C"].map { code in
          try context.transaction(once: "trip \(code)") { context.insert(Trip(code: code)) }
        }
      }
      #expect(outcomes == [.performed, .performed, .alreadyDone, .performed])
      #expect(commits.withLock { $0 } == 1)
      #expect(try codes(container) == ["A", "B", "C"])
      let history = try container.store.read { try $0.history(after: before) }
      #expect(history.map(\.once?.text) == ["trip A", "trip B", "trip C"])
      #expect(Set(history.map(\.dot)).count == 3)
    }
  }

  @Test func `a batch makes the records that its transactions make alone`() async throws {
    let effects: @Sendable (ModelContext) throws -> Void = { context in
      for code in ["A", "B"] {
        try context.transaction(once: "trip \(code)") {
          let trip = Trip(code: code)
          context.insert(trip)
          trip.stops = [Stop(place: "Forum", order: 1)]
        }
      }
    }
    var found: [[String]] = []
    for isBatch in [true, false] {
      try await withContainer { container throws in
        if isBatch { try container.batch(effects) } else { try effects(ModelContext(container)) }
        found.append(
          try container.store.read { snapshot in
            var ids: [String] = []
            for entity in snapshot.catalogue.entities {
              try snapshot.forEachFacts(of: entity.number) { facts, _ in ids.append("\(entity.name) \(facts.id)") }
            }
            return ids
          })
      }
    }
    #expect(found[0] == found[1] && found[0].count == 4)
  }

  @Test func `what a transaction of a batch has saved, the next one fetches`() async throws {
    try await withContainer { container throws in
      try container.batch { context in
        context.insert(Trip(code: "A", name: "Rome"))
        try context.save()
        let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        trip.name = "Ostia"
        try context.save()
        context.insert(Trip(code: "B"))
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
        try context.save()
      }
      #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name).contains("Ostia"))
      #expect(try codes(container) == ["A", "B"])
    }
  }

  @Test func `an error leaves nothing of a batch, and its once keys can be used`() async throws {
    try await withContainer { container throws in
      #expect(throws: Refusal.self) {
        try container.batch { context in
          try context.transaction(once: "trip A") { context.insert(Trip(code: "A")) }
          throw Refusal()
        }
      }
      #expect(try codes(container).isEmpty)
      let context = ModelContext(container)
      #expect(try context.transaction(once: "trip A") { context.insert(Trip(code: "A")) } == .performed)
    }
  }

  @Test func `a save that fails ends the batch, also where its error is caught`() async throws {
    try await withContainer { container throws in
      let error = #expect(throws: StoreError.self) {
        try container.batch { context in
          let trip = Trip(code: "A")
          context.insert(trip)
          context.insert(Booking(number: 1, trip: trip))
          try context.save()
          do {
            context.delete(trip)
            try context.save()
          } catch let error as StoreError where error.code == .deleteDenied {
            context.rollback()
          }
        }
      }
      #expect(error?.code == .deleteDenied)
      #expect(try codes(container).isEmpty)
    }
  }

  @Test func `a save of another context inside a batch is refused: it would wait for itself`() async throws {
    try await withContainer { container throws in
      try container.batch { context in
        context.insert(Trip(code: "A"))
        try context.save()
        let error = #expect(throws: StoreError.self) { try container.store.commit(SaveRequest()) }
        #expect(error?.code == .invalidRequest)
      }
      #expect(try codes(container) == ["A"])
    }
  }

  @Test func `a context that is used after its batch says that the batch is over`() async throws {
    try await withContainer { container throws in
      let kept = Kept()
      try container.batch { context in kept.context = context }
      let context = try #require(kept.context)
      let error = #expect(throws: StoreError.self) { try context.fetch(FetchDescriptor<Trip>()) }
      #expect(error?.message.contains("a batch of saves was used after it") ?? false)
    }
  }

  @Test func `objects of other contexts take in what a batch has saved`() async throws {
    try await withContainer { container throws in
      let context = ModelContext(container)
      let trip = Trip(code: "A", name: "Rome")
      context.insert(trip)
      try context.save()
      try container.batch { inside in
        try inside.fetch(FetchDescriptor<Trip>()).first?.name = "Ostia"
        try inside.save()
      }
      context.processPendingChanges()
      #expect(trip.name == "Ostia")
    }
  }

  /// Unchecked: a batch runs on the thread of its test, which looks at what was kept after it.
  private final class Kept: @unchecked Sendable {
    var context: ModelContext?
  }
}
