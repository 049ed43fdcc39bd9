import Foundation
import Tandem
import TestSupport
import Testing

/// A prepared fetch finds what a fetch with the same values in its predicate finds, under every condition.
struct PreparedFetchTests {
  /// The same questions both ways.
  private struct Questions {
    let byCode: PreparedFetch<Trip, String>
    let cheap: PreparedFetch<Trip, Decimal, Date>
    let named: PreparedFetch<Trip, String>
    let others: PreparedFetch<Trip, String, Decimal>
    let stops: PreparedFetch<Stop, Int, String?>
    let places: PreparedFetch<Stop, [String]>

    init(_ context: ModelContext) throws {
      byCode = try context.prepare(#Predicate<Trip, String> { trip, code in trip.code == code })
      cheap = try context.prepare(
        #Predicate<Trip, Decimal, Date> { trip, price, start in trip.price < price && start <= trip.start },
        sortBy: [SortDescriptor(\.price, order: .reverse)])
      named = try context.prepare(
        #Predicate<Trip, String> { trip, name in trip.name.contains(name) }, sortBy: [SortDescriptor(\.name)])
      others = try context.prepare(
        #Predicate<Trip, String, Decimal> { trip, name, price in trip.name != name || trip.price > price })
      stops = try context.prepare(
        #Predicate<Stop, Int, String?> { stop, order, code in stop.order > order && stop.trip?.code == code })
      places = try context.prepare(#Predicate<Stop, [String]> { stop, places in places.contains(stop.place) })
    }

    func expectEqual(
      _ context: ModelContext, _ number: Int, pending: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let (text, price) = ("\(number)", Decimal(number))
      let start = Date(timeIntervalSinceReferenceDate: Double(number))
      func expect<M: PersistentModel>(
        _ predicate: Predicate<M>, sortBy: [SortDescriptor<M>] = [],
        _ ask: (_ limit: Int?, _ offset: Int?) throws -> (all: [M], first: M?, count: Int)
      ) throws {
        var descriptor = FetchDescriptor(predicate: predicate, sortBy: sortBy)
        descriptor.includePendingChanges = pending
        for (limit, offset) in [(nil, nil), (2, 1)] as [(Int?, Int?)] {
          (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
          let whole = try context.fetch(descriptor)
          let (all, first, count) = try ask(limit, offset)
          #expect(all == whole, sourceLocation: sourceLocation)
          #expect(first == whole.first, sourceLocation: sourceLocation)
          #expect(count == whole.count, sourceLocation: sourceLocation)
        }
      }
      try expect(#Predicate<Trip> { $0.code == text }) { limit, offset in
        var asked = byCode
        (asked.fetchLimit, asked.fetchOffset, asked.includePendingChanges) = (limit, offset, pending)
        return (try asked.fetch(text), try asked.first(text), try asked.count(text))
      }
      try expect(
        #Predicate<Trip> { $0.price < price && start <= $0.start }, sortBy: [SortDescriptor(\.price, order: .reverse)]
      ) { limit, offset in
        var asked = cheap
        (asked.fetchLimit, asked.fetchOffset, asked.includePendingChanges) = (limit, offset, pending)
        return (try asked.fetch(price, start), try asked.first(price, start), try asked.count(price, start))
      }
      try expect(#Predicate<Trip> { $0.name.contains(text) }, sortBy: [SortDescriptor(\.name)]) { limit, offset in
        var asked = named
        (asked.fetchLimit, asked.fetchOffset, asked.includePendingChanges) = (limit, offset, pending)
        return (try asked.fetch(text), try asked.first(text), try asked.count(text))
      }
      try expect(#Predicate<Trip> { $0.name != text || $0.price > price }) { limit, offset in
        var asked = others
        (asked.fetchLimit, asked.fetchOffset, asked.includePendingChanges) = (limit, offset, pending)
        return (try asked.fetch(text, price), try asked.first(text, price), try asked.count(text, price))
      }
      let least = number - 5
      try expect(#Predicate<Stop> { $0.order > least && $0.trip?.code == text }) { limit, offset in
        var asked = stops
        (asked.fetchLimit, asked.fetchOffset, asked.includePendingChanges) = (limit, offset, pending)
        return (try asked.fetch(least, text), try asked.first(least, text), try asked.count(least, text))
      }
      let wanted = [text, "\(number + 1)"]
      try expect(#Predicate<Stop> { wanted.contains($0.place) }) { limit, offset in
        var asked = places
        (asked.fetchLimit, asked.fetchOffset, asked.includePendingChanges) = (limit, offset, pending)
        return (try asked.fetch(wanted), try asked.first(wanted), try asked.count(wanted))
      }
    }
  }

  @Test func `it finds what the same fetch finds, with unsaved changes and after saves of others`() async throws {
    var random = SeededGenerator.announced()
    try await withContainer { container in
      let (context, other) = (ModelContext(container), ModelContext(container))
      let questions = try Questions(context)
      for _ in 0..<60 {
        let writer = random.oneIn(2) ? context : other
        let number = Int.random(in: 0..<12, using: &random)
        let trips = try writer.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: if let trip = trips.first(where: { $0.code == "\(number)" }) { writer.delete(trip) }
        case 1: trips.first?.price = Decimal(number)
        case 2: trips.last?.name = "name \(number)"
        default:
          let start = Date(timeIntervalSinceReferenceDate: Double(number))
          let trip = Trip(code: "\(number)", name: "trip \(number)", start: start, price: Decimal(number % 5))
          writer.insert(trip)
          trip.stops = [Stop(place: "\(number)", order: number)]
        }
        if writer === other || random.oneIn(3) { try writer.save() }
        let asked = Int.random(in: 0..<12, using: &random)
        try questions.expectEqual(context, asked, pending: true)
        try questions.expectEqual(context, asked, pending: false)
      }
    }
  }

  @Test func `nil and values that equal nothing mean what they mean in a predicate`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      for number in 0..<4 {
        let object = Everything()
        object.optionalInt = number == 0 ? nil : number
        object.double = number == 1 ? .nan : Double(number)
        context.insert(object)
      }
      try context.save()
      let byInt = try context.prepare(#Predicate<Everything, Int?> { object, number in object.optionalInt == number })
      #expect(try byInt.count(nil) == 1)
      #expect(try byInt.fetch(nil).map(\.optionalInt) == [nil])
      #expect(try byInt.fetch(2).map(\.optionalInt) == [2])
      let byDouble = try context.prepare(#Predicate<Everything, Double> { object, number in object.double == number })
      #expect(try byDouble.fetch(.nan).isEmpty)
      #expect(try byDouble.first(3)?.optionalInt == 3)
      let unlike = try context.prepare(#Predicate<Everything, Double> { object, number in object.double != number })
      #expect(try unlike.fetch(.nan).count == 4)
    }
  }

  @Test func `classes that inherit are found by their class`() async throws {
    try await withContainer(for: Office.types) { container in
      let context = ModelContext(container)
      context.insert(Office.Team(name: "a"))
      context.insert(Office.NightTeam(name: "a"))
      try context.save()
      let teams = try context.prepare(#Predicate<Office.Team, String> { team, name in team.name == name })
      let nightTeams = try context.prepare(#Predicate<Office.NightTeam, String> { team, name in team.name == name })
      #expect(try teams.fetch("a").count == 2)
      #expect(try nightTeams.fetch("a").count == 1)
    }
  }

  @Test func `a negative limit is refused as in any fetch`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      var byCode = try context.prepare(#Predicate<Trip, String> { trip, code in trip.code == code })
      byCode.fetchLimit = -1
      expectError(.invalidRequest) { try byCode.fetch("a") }
      byCode.fetchLimit = 0
      context.insert(Trip(code: "a"))
      try context.save()
      #expect(try byCode.first("a") == nil)
      byCode.fetchLimit = nil
      #expect(try byCode.first("a")?.code == "a")
    }
  }
}
