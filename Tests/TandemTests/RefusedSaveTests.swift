import Foundation
import Tandem
import Testing

@Model private final class Passport {
  @Attribute(.unique(.throw)) var number: Int
  @Attribute(.unique) var holder: String
  init(number: Int, holder: String) { (self.number, self.holder) = (number, holder) }
}

@Model private final class Berth {
  @Attribute(.unique(.throw)) var number: Int
  init(number: Int) { self.number = number }
}

@Model private final class Choir {
  var name = ""
  @Relationship(maximumModelCount: 2, inverse: \Singer.choirs) var singers: [Singer] = []
  init() {}
}

@Model private final class Singer {
  var choirs: [Choir] = []
  init() {}
}

/// The way on after a save that was refused: an app has to find the objects that stand against it.
struct RefusedSaveTests {
  /// A fetch left the booking out, as one that goes with its trip: nobody could delete it, as the error asks.
  @Test func `what stands against a delete is found while the delete is pending`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "A")
      context.insert(trip)
      context.insert(Booking(number: 1, trip: trip))
      try context.save()
      context.delete(trip)
      expectError(.deleteDenied) { try context.save() }
      #expect(try context.fetchCount(FetchDescriptor<Booking>()) == 1)
      let bookings = try context.fetch(FetchDescriptor<Booking>(sortBy: [SortDescriptor(\.trip.code)]))
      #expect(bookings.map(\.number) == [1])
      for booking in bookings { context.delete(booking) }
      #expect(try context.fetchCount(FetchDescriptor<Booking>()) == 0)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
    }
  }

  /// The stored object was missing from fetches and lists as long as an insert with its value waited, as one that the
  /// insert replaces.
  @Test func `an object stays in sight beside an insert that a save refuses for its value`() async throws {
    try await withContainer(for: [Passport.self, Berth.self]) { container in
      let context = ModelContext(container)
      context.insert(Passport(number: 1, holder: "Olena"))
      context.insert(Berth(number: 1))
      try context.save()
      let (passport, berth) = (Passport(number: 1, holder: "Taras"), Berth(number: 1))
      context.insert(passport)
      context.insert(berth)
      expectError(.uniquenessViolation) { try context.save() }
      let first = FetchDescriptor<Passport>(
        predicate: #Predicate { $0.number == 1 }, sortBy: [SortDescriptor(\.holder)])
      #expect(try context.fetch(first).map(\.holder) == ["Olena", "Taras"])
      let berths = FetchDescriptor<Berth>(predicate: #Predicate { $0.number == 1 })
      #expect(try context.fetch(berths).count == 2 && context.fetchCount(FetchDescriptor<Berth>()) == 2)
      passport.number = 2
      berth.number = 2
      #expect(try context.fetch(berths).map(\.number) == [1])
      try context.save()
      // Of the other attribute an insert takes the value over, as ever.
      context.insert(Passport(number: 3, holder: "Taras"))
      let numbers = FetchDescriptor<Passport>(sortBy: [SortDescriptor(\.number)])
      #expect(try context.fetch(numbers).map(\.number) == [1, 3])
      try context.save()
      #expect(try context.fetch(numbers).map(\.number) == [1, 3])
    }
  }

  @Test func `an object stays in sight where the store refuses every value twice`() async throws {
    try await withContainer(for: [Tag.self], configure: { $0.uniqueness = .throw }) { container in
      let context = ModelContext(container)
      context.insert(Tag(name: "sea"))
      try context.save()
      context.insert(Tag(name: "sea"))
      let sea = FetchDescriptor<Tag>(predicate: #Predicate { $0.name == "sea" })
      #expect(try context.fetchCount(sea) == 2)
      expectError(.uniquenessViolation) { try context.save() }
    }
  }

  /// The messages named the records and fields behind the links, such as `~Choir.singers.left`.
  @Test func `a message names relationships and classes as the models do`() async throws {
    try await withContainer(for: [Choir.self]) { container in
      let context = ModelContext(container)
      let choir = Choir()
      context.insert(choir)
      choir.singers = [Singer(), Singer(), Singer()]
      #expect { try context.save() } throws: {
        "\($0)".contains("Choir.singers of a record would lead to 3 records of Singer where 0 to 2 are allowed")
      }
      choir.singers.removeLast()
      try context.save()
      let other = ModelContext(container)
      for choir in try other.fetch(FetchDescriptor<Choir>()) { other.delete(choir) }
      try other.save()
      choir.singers.append(Singer())
      #expect { try context.save() } throws: { "\($0)".contains("Singer.choirs names a record that somebody deleted") }
      context.rollback()
    }
  }
}
