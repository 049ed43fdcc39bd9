import Foundation
import Tandem
import Testing

/// The code of the article Fetching.
struct FetchingTests {
  @Test func `predicates find what the article says`() async throws {
    try await withContainer(for: Trip.self) { container in
      let context = ModelContext(container)
      let olena = Traveler(firstName: "Olena")
      for (number, nights) in [2, 8, 9].enumerated() {
        let trip = Trip(code: "A\(number)", start: .now + 60 * Double(3 - number), nights: nights)
        context.insert(trip)
        trip.lead = olena
        trip.errands = [Errand(isDone: nights == 9)]
      }
      try context.save()
      try first(context)
      try joined(context, from: .now)
      try nested(context)
      try prepared(context)
      try raw(context)
    }
  }

  private func prepared(_ context: ModelContext) throws {
    let byCode = try context.prepare(#Predicate<Trip, String> { trip, code in trip.code == code })
    let long = try context.prepare(
      #Predicate<Trip, Int> { trip, nights in trip.nights >= nights }, sortBy: [SortDescriptor(\.start)])
    let first = try byCode.first("A0")
    let some = try long.fetch(8)
    #expect(first?.nights == 2)
    #expect(some.map(\.code) == ["A2", "A1"])
  }

  private func raw(_ context: ModelContext) throws {
    var nights: [String: Int] = [:]
    try context.withRecords(of: FetchDescriptor<Trip>(predicate: #Predicate { $0.nights > 2 })) { trip in
      nights[trip.code] = trip.nights
    }
    #expect(nights == ["A1": 8, "A2": 9])
  }

  private func first(_ context: ModelContext) throws {
    let from = Date.now
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.start >= from && $0.lead?.firstName == "Olena" },
      sortBy: [SortDescriptor(\.start), SortDescriptor(\.name)])
    descriptor.fetchLimit = 20
    let trips = try context.fetch(descriptor)
    print(try descriptor.explain(in: context))
    #expect(trips.map(\.code) == ["A2", "A1", "A0"])
  }

  private func joined(_ context: ModelContext, from: Date) throws {
    let (purpose, onlyLong, short) = (Purpose?.some(.leisure), true, #Predicate<Trip> { $0.nights < 5 })

    var wanted: [Predicate<Trip>] = [.comparing(\.start, .greaterOrEqual, from)]
    if let purpose { wanted.append(.equal(\.purpose, purpose)) }
    if onlyLong { wanted.append(!short) }
    let trips = try context.fetch(FetchDescriptor(predicate: .all(wanted)))
    #expect(Set(trips.map(\.code)) == ["A1", "A2"])
  }

  private func nested(_ context: ModelContext) throws {
    let long = #Predicate<Trip> { $0.nights > 7 }
    let open = #Expression<[Errand], Int> { errands in errands.filter { !$0.isDone }.count }
    let restful = #Predicate<Trip> { long.evaluate($0) && open.evaluate($0.errands) == 0 }
    let travelers = #Predicate<Traveler> { $0.trips.contains { long.evaluate($0) } }
    #expect(try context.fetch(FetchDescriptor(predicate: restful)).map(\.code) == ["A2"])
    #expect(try context.fetchCount(FetchDescriptor(predicate: travelers)) == 1)
  }
}
