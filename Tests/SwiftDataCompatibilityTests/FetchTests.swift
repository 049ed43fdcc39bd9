import SwiftData
import Testing

@MainActor
@Suite struct FetchTests {
  private let context: ModelContext

  init() throws {
    context = try makeContainer().mainContext
    let places = ["Yaremche", "lviv", "Odesa", "Kyiv", "Rakhiv 10", "Rakhiv 9"]
    for (number, place) in places.enumerated() {
      let trip = Trip(
        code: "T\(number)", name: "Trip \(number)", destination: place, start: .day(number),
        end: number % 2 == 0 ? nil : .day(number + 2), purpose: number % 3 == 0 ? .work : .leisure)
      trip.isFavorite = number < 2
      context.insert(trip)
      for order in 0..<number { trip.stops.append(Stop(place: order == 1 ? "Bridge" : "Market", order: order)) }
    }
    let lead = Traveler(email: "o@example.com", firstName: "Olena")
    context.insert(lead)
    for trip in try context.fetch(FetchDescriptor<Trip>()) where trip.isFavorite { trip.lead = lead }
    try context.save()
  }

  private func codes(_ predicate: Predicate<Trip>?, sortBy: [SortDescriptor<Trip>] = [SortDescriptor(\.code)]) throws
    -> String
  {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: sortBy)).map(\.code).joined(separator: " ")
  }

  @Test func `predicates over attributes`() throws {
    let from = Date.day(2)
    let work = TripPurpose.work
    let wanted = ["Kyiv", "Odesa"]
    #expect(try codes(#Predicate { $0.start >= from && $0.destination != "Kyiv" }) == "T2 T4 T5")
    #expect(try codes(#Predicate { $0.purpose == work }) == "T0 T3")
    #expect(try codes(#Predicate { wanted.contains($0.destination) }) == "T2 T3")
    #expect(try codes(#Predicate { $0.isFavorite || $0.code == "T5" }) == "T0 T1 T5")
    #expect(try codes(#Predicate { $0.end == nil && !$0.isFavorite }) == "T2 T4")
    #expect(try codes(#Predicate { if let end = $0.end { end < from } else { true } }) == "T0 T2 T4")
    #expect(try codes(#Predicate { ($0.end ?? from) > from }) == "T1 T3 T5")
    #expect(try codes(#Predicate { $0.destination.starts(with: "Rakhiv") }) == "T4 T5")
    #expect(try codes(#Predicate { $0.destination.localizedStandardContains("LVIV") }) == "T1")
    #expect(try codes(#Predicate { $0.name.count == 6 && $0.destination.contains("s") }) == "T2")
  }

  @Test func `predicates over relationships`() throws {
    #expect(try codes(#Predicate { $0.lead?.firstName == "Olena" }) == "T0 T1")
    #expect(try codes(#Predicate { $0.stops.isEmpty }) == "T0")
    #expect(try codes(#Predicate { $0.stops.contains { $0.place == "Bridge" } }) == "T2 T3 T4 T5")
    #expect(try codes(#Predicate { $0.stops.filter { $0.place == "Market" }.count > 2 }) == "T4 T5")
    #expect(try codes(#Predicate { $0.stops.allSatisfy { $0.order < 2 } }) == "T0 T1 T2")
    let id = try #require(try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.code == "T3" })).first)
      .persistentModelID
    let places = try context.fetch(FetchDescriptor<Stop>(predicate: #Predicate { $0.trip?.persistentModelID == id }))
    #expect(places.count == 3)
  }

  @Test func `orders, limits and offsets`() throws {
    #expect(try codes(nil, sortBy: [SortDescriptor(\.start, order: .reverse)]) == "T5 T4 T3 T2 T1 T0")
    #expect(
      try codes(nil, sortBy: [SortDescriptor(\.isFavorite, order: .reverse), SortDescriptor(\.destination)])
        == "T1 T0 T3 T2 T5 T4")
    #expect(
      try codes(nil, sortBy: [SortDescriptor(\.destination, comparator: .localizedStandard)]) == "T3 T1 T2 T5 T4 T0")
    #expect(try codes(nil, sortBy: [SortDescriptor(\.end), SortDescriptor(\.code)]) == "T0 T2 T4 T1 T3 T5")
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 3
    #expect(try context.fetch(descriptor).map(\.code) == ["T3", "T4"])
    #expect(try context.fetchIdentifiers(descriptor).count == 2)
  }

  @Test func `unsaved changes take part`() throws {
    let trip = Trip(code: "T9", name: "New", destination: "Kyiv", start: .day(9))
    context.insert(trip)
    #expect(try codes(#Predicate { $0.destination == "Kyiv" }) == "T3 T9")
    trip.destination = "Dnipro"
    #expect(try codes(#Predicate { $0.destination == "Kyiv" }) == "T3")
    var descriptor = FetchDescriptor<Trip>()
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).count == 6)
  }

  @Test func `fetches are enumerated in batches`() throws {
    var codes: [String] = []
    try context.enumerate(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]), batchSize: 4) {
      codes.append($0.code)
    }
    #expect(codes == ["T0", "T1", "T2", "T3", "T4", "T5"])
  }
}
