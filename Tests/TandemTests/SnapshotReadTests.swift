import Foundation
import Tandem
import Testing

/// Inside `withSnapshot` everything is of one moment, whatever others commit meanwhile.
@Suite struct SnapshotReadTests {
  private func fill(_ container: ModelContainer, _ count: Int) throws {
    let context = ModelContext(container)
    for number in 0..<count {
      let trip = Trip(code: "\(number)", name: "Lviv")
      context.insert(trip)
      context.insert(Stop(place: "a", order: number, trip: trip))
    }
    try context.save()
  }

  @Test func `fetches, counts, aggregates and relationships keep to one state while others save`() async throws {
    try await withContainer { container in
      try fill(container, 3)
      let context = ModelContext(container)
      let other = ModelContext(container)
      let first = try context.withSnapshot {
        let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
        // Somebody else changes, deletes and inserts.
        let theirs = try other.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
        theirs[0].name = "Kyiv"
        other.delete(theirs[1])
        other.insert(Trip(code: "9", name: "Odesa"))
        other.insert(Stop(place: "b", order: 7, trip: theirs[2]))
        try other.save()
        let found1 = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
        #expect(found1 == trips)
        let found2 = try context.fetchCount(FetchDescriptor<Trip>())
        #expect(found2 == 3)
        let found3 = try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Lviv" }))
        #expect(found3 == 3)
        let found4 = try context.aggregate(.count, .maximum(of: \Stop.order)).1
        #expect(found4 == 2)
        let found5 = try context.fetchIdentifiers(FetchDescriptor<Stop>()).count
        #expect(found5 == 3)
        #expect(trips[0].name == "Lviv" && !trips[1].isDeleted && trips[2].stops.map(\.order) == [2])
        return trips
      }
      // Outside the next fetch sees the rest.
      let found6 = try context.fetchCount(FetchDescriptor<Trip>())
      #expect(found6 == 3)
      let found7 = try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Lviv" }))
      #expect(found7 == 1)
      #expect(first[0].name == "Kyiv" && first[1].isDeleted && first[2].stops.count == 2)
    }
  }

  @Test func `a snapshot begins with what was saved before it, and an inner one is the outer one`() async throws {
    try await withContainer { container in
      try fill(container, 1)
      let context = ModelContext(container)
      let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
      let other = ModelContext(container)
      try other.fetch(FetchDescriptor<Trip>())[0].name = "Kyiv"
      try other.save()
      try context.withSnapshot {
        #expect(trip.name == "Kyiv")
        try other.fetch(FetchDescriptor<Trip>())[0].name = "Odesa"
        try other.save()
        let inner = try context.withSnapshot { try context.fetch(FetchDescriptor<Trip>())[0].name }
        #expect(inner == "Kyiv")
        let found8 = try context.fetch(FetchDescriptor<Trip>())[0].name
        #expect(found8 == "Kyiv")
      }
      let found9 = try context.fetch(FetchDescriptor<Trip>())[0].name
      #expect(found9 == "Odesa")
    }
  }

  @Test func `a save inside is refused, keeps its changes, and succeeds after the block`() async throws {
    try await withContainer { container in
      try fill(container, 1)
      let context = ModelContext(container)
      try context.withSnapshot {
        let trip = try context.fetch(FetchDescriptor<Trip>())[0]
        trip.name = "Kyiv"
        context.insert(Trip(code: "new", name: "Kyiv"))
        let found10 = try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Kyiv" }))
        #expect(found10 == 2)
        expectError(.saveInSnapshot) { try context.save() }
        expectError(.saveInSnapshot) { try context.transaction(once: "key") {} }
        #expect(context.hasChanges)
      }
      try context.save()
      #expect(
        try ModelContext(container).fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Kyiv" })) == 2)
    }
  }

  @Test func `an error ends the snapshot, and pages can be used again`() async throws {
    struct Stopped: Error {}
    try await withContainer { container in
      try fill(container, 1)
      let context = ModelContext(container)
      #expect(throws: Stopped.self) { try context.withSnapshot { throw Stopped() } }
      let other = ModelContext(container)
      try other.fetch(FetchDescriptor<Trip>())[0].name = "Kyiv"
      try other.save()
      let found11 = try context.fetch(FetchDescriptor<Trip>())[0].name
      #expect(found11 == "Kyiv")
      try context.save()
    }
  }

  /// Which objects there are was asked of the newest state, which the context then took in.
  @Test func `objects are enumerated as they were when the snapshot began`() async throws {
    try await withContainer { container in
      try fill(container, 3)
      let context = ModelContext(container)
      let other = ModelContext(container)
      let byCode = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)])
      let short = FetchDescriptor<Trip>(predicate: #Predicate { $0.name.count == 4 }, sortBy: [SortDescriptor(\.code)])
      try context.withSnapshot {
        let trips = try context.fetch(byCode)
        let theirs = try other.fetch(byCode)
        theirs[0].name = "Odesa"
        other.delete(theirs[1])
        other.insert(Trip(code: "9", name: "Kyiv"))
        try other.save()
        for descriptor in [byCode, short] {
          var found: [String] = []
          try context.enumerate(descriptor) { found.append("\($0.code) \($0.name)") }
          #expect(found == ["0 Lviv", "1 Lviv", "2 Lviv"])
        }
        #expect(trips[0].name == "Lviv" && !trips[1].isDeleted)
      }
      var found: [String] = []
      try context.enumerate(byCode) { found.append("\($0.code) \($0.name)") }
      #expect(found == ["0 Odesa", "2 Lviv", "9 Kyiv"])
    }
  }
}
