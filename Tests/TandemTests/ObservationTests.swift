import Foundation
import Observation
import Synchronization
import Tandem
import Testing

/// What observers of objects hear, and that nobody else hears anything.
struct ObservationTests {
  /// Whether `change` is told to an observer of what `read` reads.
  private func isTold(_ read: () -> Void, _ change: () throws -> Void) rethrows -> Bool {
    let told = Atomic(false)
    withObservationTracking(read) { told.store(true, ordering: .relaxed) }
    try change()
    return told.load(ordering: .relaxed)
  }

  @Test func `a set property is told, another property and another object are not`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let first = Trip(code: "1", name: "a")
      let second = Trip(code: "2", name: "b")
      context.insert(first)
      context.insert(second)
      // The same for objects that were read.
      try context.save()
      let reading = ModelContext(container)
      let read = try reading.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
      for (one, other) in [(first, second), (read[0], read[1])] {
        #expect(isTold({ _ = one.name }, { one.name = "x" }))
        #expect(!isTold({ _ = one.name }, { one.price = 3 }))
        #expect(!isTold({ _ = one.name }, { other.name = "y" }))
      }
    }
  }

  @Test func `the other side of a relationship is told`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "1")
      let stop = Stop(place: "x")
      context.insert(trip)
      context.insert(stop)
      #expect(isTold({ _ = trip.stops.count }, { stop.trip = trip }))
      #expect(isTold({ _ = stop.trip }, { trip.stops = [] }))
      stop.trip = trip
      try context.save()
      #expect(isTold({ _ = trip.stops.count }, { context.delete(stop) }))
      #expect(isTold({ _ = trip.stops.count }, { context.rollback() }))
    }
  }

  @Test func `what others save is told when the context takes it in`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "1", name: "old")
      context.insert(trip)
      try context.save()
      let other = ModelContext(container)
      let there = try #require(other.model(for: trip.persistentModelID) as? Trip)
      let isNameTold = try isTold({ _ = trip.name }) {
        there.name = "new"
        try other.save()
        context.processPendingChanges()
      }
      #expect(isNameTold)
      #expect(trip.name == "new")
      let areStopsTold = try isTold({ _ = trip.stops.count }) {
        there.stops.append(Stop(place: "x"))
        try other.save()
        context.processPendingChanges()
      }
      #expect(areStopsTold)
      #expect(trip.stops.map(\.place) == ["x"])
      #expect(
        isTold(
          { _ = trip.name },
          {
            trip.name = "mine"
            context.rollback()
          }))
    }
  }

  @Test func `a read inside of an inner tracking is told, and one after it too`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      context.insert(Trip(code: "1", name: "a"))
      try context.save()
      let trip = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
      let isInnerTold = Atomic(false)
      let isOuterTold = Atomic(false)
      withObservationTracking {
        withObservationTracking {
          _ = trip.name
        } onChange: {
          isInnerTold.store(true, ordering: .relaxed)
        }
        _ = trip.price
      } onChange: {
        isOuterTold.store(true, ordering: .relaxed)
      }
      trip.price = 2
      let outer = isOuterTold.load(ordering: .relaxed)
      #expect(outer)
      trip.name = "b"
      let inner = isInnerTold.load(ordering: .relaxed)
      #expect(inner)
    }
  }
}
