import Foundation
import Tandem
import Testing

/// A context with many objects lets go of those that it alone holds.
@Suite struct SweepTests {
  @Test func `a later fetch lets unheld objects go, with members that only they hold, and keeps all others`()
    async throws
  {
    try await withContainer { container in
      do {
        let filling = ModelContext(container)
        for number in 0..<4_200 { filling.insert(Trip(code: "\(number)")) }
        let parent = Trip(code: "parent")
        parent.stops = [Stop(place: "member")]
        filling.insert(parent)
        try filling.save()
      }
      let context = ModelContext(container)
      weak var unheld: Trip?
      weak var changed: Trip?
      weak var parent: Trip?
      weak var member: Stop?
      var held: Trip?
      do {
        let trips = try context.fetch(FetchDescriptor<Trip>())
        unheld = trips.first { $0.code == "1" }
        held = trips.first { $0.code == "2" }
        changed = trips.first { $0.code == "3" }
        changed?.name = "unsaved"
        parent = trips.first { $0.code == "parent" }
        member = parent?.stops.first
        #expect(member != nil)
      }
      #expect(unheld != nil && parent != nil)
      let again = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.code == "2" }))
      #expect(unheld == nil)
      #expect(parent == nil)
      #expect(member == nil)
      #expect(again.count == 1 && again.first === held)
      #expect(changed?.name == "unsaved")
      try context.save()
      let saved = try ModelContext(container).fetch(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "unsaved" }))
      #expect(saved.map(\.code) == ["3"])
    }
  }

  @Test func `objects that are members of each other go with their context`() async throws {
    try await withContainer { container in
      do {
        let filling = ModelContext(container)
        let trip = Trip(code: "round")
        filling.insert(trip)
        trip.tags = [Tag(name: "far")]
        try filling.save()
      }
      weak var trip: Trip?
      weak var tag: Tag?
      do {
        let context = ModelContext(container)
        let found = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        trip = found
        tag = found.tags.first
        #expect(tag?.trips.first === found)
      }
      #expect(trip == nil)
      #expect(tag == nil)
    }
  }

  @Test func `objects that a context inserted as members of each other go with it`() async throws {
    try await withContainer { container in
      weak var trip: Trip?
      weak var tag: Tag?
      do {
        let context = ModelContext(container)
        let new = (Trip(code: "round"), Tag(name: "far"))
        context.insert(new.0)
        new.0.tags = [new.1]
        try context.save()
        (trip, tag) = new
      }
      #expect(trip == nil)
      #expect(tag == nil)
    }
  }

  @Test func `an object outlives its context with its members`() async throws {
    try await withContainer { container in
      func found() throws -> Trip {
        let context = ModelContext(container)
        let trip = Trip(code: "round")
        context.insert(trip)
        trip.tags = [Tag(name: "far")]
        try context.save()
        #expect(trip.tags.first?.trips.count == 1)
        return trip
      }
      let trip = try found()
      #expect(trip.code == "round" && trip.tags.map(\.name) == ["far"])
    }
  }
}
