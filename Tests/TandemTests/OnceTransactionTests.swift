import Foundation
import RecordStore
import Tandem
import Testing

/// `transaction(once:)`: an effect of a context that happens once.
@Suite struct OnceTransactionTests {
  private struct Refusal: Error {}

  private func effect(_ context: ModelContext, code: String = "T42") {
    let trip = Trip(code: code, name: "Rome")
    context.insert(trip)
    trip.stops = [Stop(place: "Forum", order: 1), Stop(place: "Ostia", order: 2)]
    trip.tags = [Tag(name: "south")]
  }

  @Test func `an effect runs once, and its block is not called again`() async throws {
    try await withContainer { container throws in
      let context = ModelContext(container)
      var calls = 0
      for expected in [OnceOutcome.performed, .alreadyDone, .alreadyDone] {
        let outcome = try context.transaction(once: "purchase 42") {
          calls += 1
          effect(context)
        }
        #expect(outcome == expected)
        #expect(!context.hasChanges)
      }
      #expect(calls == 1)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.stops.count) == [2])
    }
  }

  @Test func `objects of the effect keep working under their derived identities`() async throws {
    try await withContainer { container throws in
      let context = ModelContext(container)
      let trip = Trip(code: "T42")
      let stop = Stop(place: "Forum", trip: trip)
      let album = Album(title: "Rome")
      try context.transaction(once: "purchase 42") {
        context.insert(trip)
        context.insert(stop)
        album.pages = [Page(text: "one"), Page(text: "two")]
        album.cover = album.pages[0]
        context.insert(album)
      }
      let registered: Trip? = context.registeredModel(for: trip.persistentModelID)
      #expect(registered === trip)
      #expect(trip.stops.first === stop)
      trip.name = "later"
      stop.place = "Ostia"
      try context.save()
      let other = ModelContext(container)
      #expect(try other.fetch(FetchDescriptor<Trip>()).map(\.name) == ["later"])
      #expect(try other.fetch(FetchDescriptor<Stop>()).map(\.trip?.name) == ["later"])
      let stored = try #require(try other.fetch(FetchDescriptor<Album>()).first)
      #expect(stored.pages.map(\.text).sorted() == ["one", "two"])
      #expect(stored.cover?.text == "one")
    }
  }

  @Test func `two stores that run one effect apart make the same identities`() async throws {
    var found: [[String]] = []
    for _ in 0..<2 {
      try await withContainer { container throws in
        let context = ModelContext(container)
        try context.transaction(once: "purchase 42") { effect(context) }
        let facts = try container.store.read { snapshot in
          var ids: [String] = []
          for entity in snapshot.catalogue.entities {
            try snapshot.forEachFacts(of: entity.number) { facts, _ in ids.append("\(entity.name) \(facts.id)") }
          }
          return ids
        }
        found.append(facts)
      }
    }
    #expect(found[0] == found[1])
    // A trip, two stops, a tag, and the link of trip and tag.
    #expect(found[0].count == 5)
  }

  @Test func `an error in the block records nothing and takes its changes back`() async throws {
    try await withContainer { container throws in
      let context = ModelContext(container)
      context.insert(Trip(code: "before", name: "kept"))
      let kept = try context.fetch(FetchDescriptor<Trip>())[0]
      #expect(throws: Refusal.self) {
        try context.transaction(once: "purchase 42") {
          effect(context)
          kept.name = "changed"
          context.delete(kept)
          throw Refusal()
        }
      }
      #expect(!context.hasChanges)
      #expect(kept.name == "kept")
      #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.code) == ["before"])
      #expect(try context.transaction(once: "purchase 42") { effect(context) } == .performed)
    }
  }

  @Test func `a save that is refused takes the block's changes back`() async throws {
    try await withContainer { container throws in
      let context = ModelContext(container)
      let trip = Trip(code: "T1")
      context.insert(trip)
      context.insert(Booking(number: 1, trip: trip))
      try context.save()
      expectError(.deleteDenied) {
        try context.transaction(once: "cancel") {
          context.delete(trip)
          context.insert(Tag(name: "cancelled"))
        }
      }
      #expect(!context.hasChanges)
      #expect(!trip.isDeleted)
      #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 0)
      #expect(try container.store.read { try $0.onceKeyCount } == 0)
    }
  }

  @Test func `pending changes are saved before the effect, and stay pending when it is done already`() async throws {
    try await withContainer { container throws in
      let context = ModelContext(container)
      context.insert(Tag(name: "pending"))
      try context.transaction(once: "purchase 42") { effect(context) }
      let history = try container.store.read { try $0.history(after: 0) }
      #expect(history.map { $0.once?.text } == [nil, "purchase 42"])
      context.insert(Tag(name: "later"))
      #expect(try context.transaction(once: "purchase 42") { effect(context) } == .alreadyDone)
      #expect(context.hasChanges)
      try context.save()
      #expect(try context.fetch(FetchDescriptor<Tag>()).map(\.name).sorted() == ["later", "pending", "south"])
    }
  }

  @Test func `the loser of a race gets the context that it had`() async throws {
    try await withContainer { container throws in
      let context = ModelContext(container)
      let outcome = try context.transaction(once: "purchase 42") {
        effect(context, code: "mine")
        // Another process is faster, between the look at the ledger and the commit.
        let other = ModelContext(try reopened(container))
        #expect(try other.transaction(once: "purchase 42") { effect(other, code: "theirs") } == .performed)
      }
      #expect(outcome == .alreadyDone)
      #expect(!context.hasChanges)
      #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.code) == ["theirs"])
      #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 2)
    }
  }

  @Test func `contexts on many threads have one effect for each key`() async throws {
    try await withContainer { container throws in
      let performed = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let context = ModelContext(container)
            var performed = 0
            for number in 0..<20 {
              let outcome = try context.transaction(once: "effect \(number)") {
                context.insert(Photo(title: "\(number)"))
              }
              if outcome == .performed { performed += 1 }
            }
            return performed
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(performed == 20)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Photo>()) == 20)
    }
  }

  @Test func `saves and inner once transactions are refused in the block`() async throws {
    try await withContainer { container throws in
      let context = ModelContext(container)
      func expectRefusal(_ body: () throws -> Void) {
        expectError(.invalidOnceTransaction) {
          try context.transaction(once: "outer") {
            effect(context)
            try body()
          }
        }
        #expect(!context.hasChanges)
      }
      expectRefusal { try context.save() }
      expectRefusal { try context.transaction {} }
      expectRefusal { try context.transaction(once: "inner") {} }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
      #expect(try context.transaction(once: "outer") { effect(context) } == .performed)
    }
  }

  @Test func `a key out of its limits is refused before anything runs`() async throws {
    try await withContainer { container throws in
      let context = ModelContext(container)
      for key in ["", String(repeating: "k", count: 1025)] {
        expectError(.invalidRequest) { try context.transaction(once: key) { Issue.record("the block ran") } }
      }
    }
  }

  @Test func `an effect that changes two stores is refused`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let container = try ModelContainer(
      for: Schema([Everything.self, Album.self]),
      configurations: [
        ModelConfiguration("one", schema: Schema([Everything.self]), url: folder.appending(path: "one.store")),
        ModelConfiguration("two", schema: Schema([Album.self]), url: folder.appending(path: "two.store")),
      ])
    let context = ModelContext(container)
    expectError(.invalidOnceTransaction) {
      try context.transaction(once: "both") {
        context.insert(Everything())
        context.insert(Album(title: "a"))
      }
    }
    #expect(try context.transaction(once: "second") { context.insert(Album(title: "a")) } == .performed)
    #expect(try context.transaction(once: "second") { context.insert(Everything()) } == .alreadyDone)
  }
}
