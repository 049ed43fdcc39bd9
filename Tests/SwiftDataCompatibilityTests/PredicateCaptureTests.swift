import SwiftData
import Testing

/// Predicates that read what they compare from objects and structures around them, as apps write them.
@MainActor
@Suite struct PredicateCaptureTests {
  private struct Choice {
    var trip: Trip
    var place: String
    var places: [String]
  }

  private let context: ModelContext
  private let trip: Trip
  private let other: Trip

  init() throws {
    context = try makeContainer().mainContext
    trip = Trip(code: "A1", name: "A", destination: "Lviv", start: .day(1))
    other = Trip(code: "B1", name: "B", destination: "Odesa", start: .day(2))
    context.insert(trip)
    context.insert(other)
    let lead = Traveler(email: "o@example.com", firstName: "Olena")
    trip.lead = lead
    trip.companions = [lead]
    trip.stops = [Stop(place: "Stryi", order: 1), Stop(place: "Lviv", order: 2)]
    other.stops = [Stop(place: "Lviv", order: 1)]
    context.insert(Stop(place: "nowhere", order: 9))
    try context.save()
  }

  private func places(_ predicate: Predicate<Stop>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate)).map { "\($0.trip?.code ?? "-") \($0.place)" }.sorted()
  }

  @Test func `an optional path is compared with a path of a captured object`() throws {
    #expect(try places(#Predicate { $0.trip?.code == trip.code }) == ["A1 Lviv", "A1 Stryi"])
    #expect(try places(#Predicate { trip.code == $0.trip?.code }) == ["A1 Lviv", "A1 Stryi"])
    #expect(try places(#Predicate { $0.trip?.code != trip.code }) == ["- nowhere", "B1 Lviv"])
    #expect(try places(#Predicate { $0.trip?.persistentModelID == other.persistentModelID }) == ["B1 Lviv"])
    #expect(try places(#Predicate { $0.trip?.lead?.email == trip.lead?.email && $0.order == 1 }) == ["A1 Stryi"])
    #expect(try places(#Predicate { $0.trip?.name == self.trip.name }) == ["A1 Lviv", "A1 Stryi"])
  }

  @Test func `paths of captured structures, of self and of optional objects are read as well`() throws {
    let choice = Choice(trip: other, place: "Lviv", places: ["Lviv", "Odesa"])
    #expect(try places(#Predicate { $0.place == choice.place }) == ["A1 Lviv", "B1 Lviv"])
    #expect(try places(#Predicate { $0.trip?.code == choice.trip.code }) == ["B1 Lviv"])
    #expect(try places(#Predicate { choice.places.contains($0.place) }) == ["A1 Lviv", "B1 Lviv"])
    #expect(try places(#Predicate { $0.order < choice.places.count }) == ["A1 Stryi", "B1 Lviv"])
    #expect(try places(#Predicate { choice.trip.code.count == 2 && $0.order > 8 }) == ["- nowhere"])
    let chosen: Trip? = trip
    let none: Trip? = nil
    #expect(try places(#Predicate { $0.trip?.code == chosen?.code }) == ["A1 Lviv", "A1 Stryi"])
    #expect(try places(#Predicate { $0.trip?.code == none?.code }) == ["- nowhere"])
  }

  @Test func `a path in a closure over related objects is read, and the closure's own names are left`() throws {
    let wanted = try #require(trip.stops.first { $0.order == 1 })
    let trips = #Predicate<Trip> { item in item.stops.contains { stop in stop.place == wanted.place } }
    #expect(try context.fetch(FetchDescriptor(predicate: trips)).map(\.code) == ["A1"])
    let bound = #Predicate<Stop> { stop in
      if let trip = stop.trip {
        trip.destination == wanted.trip?.name ?? "" || trip.lead?.email == wanted.trip?.lead?.email
      } else {
        false
      }
    }
    #expect(try places(bound) == ["A1 Lviv", "A1 Stryi"])
  }

  @Test func `a path is read once, where the predicate is made`() throws {
    let predicate = #Predicate<Stop> { $0.place == trip.destination }
    trip.destination = "Odesa"
    #expect(try places(predicate) == ["A1 Lviv", "B1 Lviv"])
    context.rollback()
  }

  @Test func `an index answers a path as it answers a constant`() throws {
    let code = trip.code
    let byConstant = FetchDescriptor<Trip>(predicate: #Predicate { $0.code == code })
    let byPath = FetchDescriptor<Trip>(predicate: #Predicate { $0.code == trip.code })
    #expect(try byPath.explain(in: context) == byConstant.explain(in: context))
    #expect(try context.fetch(byPath).map(\.code) == ["A1"])
    let stopsByConstant = FetchDescriptor<Stop>(predicate: #Predicate { $0.trip?.code == code })
    let stopsByPath = FetchDescriptor<Stop>(predicate: #Predicate { $0.trip?.code == trip.code })
    #expect(try stopsByPath.explain(in: context) == stopsByConstant.explain(in: context))
  }

  @Test func `a captured object is compared as a whole`() throws {
    #expect(try places(#Predicate { $0.trip == trip }) == ["A1 Lviv", "A1 Stryi"])
    #expect(try places(#Predicate { other == $0.trip }) == ["B1 Lviv"])
    #expect(try places(#Predicate { $0.trip != trip }) == ["- nowhere", "B1 Lviv"])
    let none: Trip? = nil
    #expect(try places(#Predicate { $0.trip == none }) == ["- nowhere"])
    let stop = try #require(other.stops.first)
    #expect(try places(#Predicate { $0 == stop }) == ["B1 Lviv"])
    #expect(try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.stops.contains(stop) })) == 1)
    let chosen = [trip]
    #expect(
      try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { chosen.contains($0) })).map(\.code) == ["A1"])
    let id = trip.persistentModelID
    let byIdentifier = FetchDescriptor<Stop>(predicate: #Predicate { $0.trip?.persistentModelID == id })
    let byObject = FetchDescriptor<Stop>(predicate: #Predicate { $0.trip == trip })
    #expect(try byObject.explain(in: context) == byIdentifier.explain(in: context))
  }

  @Test func `an optional property is compared with a plain one, and a plain property with an optional value`() throws {
    #expect(try places(#Predicate { $0.trip?.destination == $0.place }) == ["A1 Lviv"])
    #expect(try places(#Predicate { $0.place != $0.trip?.destination }) == ["- nowhere", "A1 Stryi", "B1 Lviv"])
    var place: String? = "Lviv"
    #expect(try places(#Predicate { $0.place == place }) == ["A1 Lviv", "B1 Lviv"])
    #expect(try places(#Predicate { place != $0.place }) == ["- nowhere", "A1 Stryi"])
    place = nil
    #expect(try places(#Predicate { $0.place == place }) == [])
    let code: String? = "A1"
    let byOptional = FetchDescriptor<Trip>(predicate: #Predicate { $0.code == code })
    #expect(
      try byOptional.explain(in: context)
        == FetchDescriptor<Trip>(predicate: #Predicate { $0.code == "A1" }).explain(in: context))
  }

  @Test func `calls of what is known are made where the predicate is made`() throws {
    let start = Date.day(1)
    let trips = #Predicate<Trip> {
      $0.start >= Calendar.current.startOfDay(for: start) && $0.start < Date.day(1).addingTimeInterval(3600)
    }
    #expect(try context.fetch(FetchDescriptor(predicate: trips)).map(\.code) == ["A1"])
  }

  /// One expression of so many comparisons is more than the compiler looks through.
  @Test func `a predicate of twelve comparisons compiles`() throws {
    let wanted = #Predicate<Stop> {
      $0.order > 0 && $0.order < 9 && $0.place != "a" && $0.place != "b" && $0.order != 7 && $0.place.count > 3
        && $0.place != "c" && $0.order != 8 && $0.place == "Lviv" && $0.order >= 1 && $0.order <= 5 && $0.place != "d"
    }
    #expect(try places(wanted) == ["A1 Lviv", "B1 Lviv"])
  }
}
