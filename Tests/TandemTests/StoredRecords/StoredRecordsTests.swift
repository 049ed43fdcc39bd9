import Foundation
import RecordStore
import Tandem
import Testing

/// A record in the store reads as its object does.
struct StoredRecordsTests {
  private struct Stopped: Error {}

  @Test func `every attribute reads as that of the object`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      for number in 0..<5 {
        let object = Everything()
        object.optionalInt = number == 0 ? nil : number
        object.optionalSeason = number == 1 ? .summer : nil
        object.optionalAddress = number == 2 ? Address(street: "Way", number: 2) : nil
        object.season = Season.allCases[number % 4]
        object.numbers = Array(0..<number)
        context.insert(object)
      }
      try context.save()
      let objects = try context.fetch(FetchDescriptor<Everything>())
      var place = 0
      try ModelContext(container).withRecords(of: FetchDescriptor<Everything>()) { record in
        let object = objects[place]
        place += 1
        #expect(record.persistentModelID == object.persistentModelID)
        #expect(record.bool == object.bool)
        #expect((record.int, record.int8, record.int64) == (object.int, object.int8, object.int64))
        #expect((record.uint, record.uint8, record.uint64) == (object.uint, object.uint8, object.uint64))
        #expect((record.float, record.double, record.decimal) == (object.float, object.double, object.decimal))
        #expect((record.string, record.short) == (object.string, object.short))
        #expect((record.date, record.uuid, record.data) == (object.date, object.uuid, object.data))
        #expect(record.url == object.url)
        #expect((record.season, record.level) == (object.season, object.level))
        #expect(record.address == object.address)
        #expect(record.numbers == object.numbers)
        #expect(record.words == object.words)
        #expect((record.optionalInt, record.optionalString) == (object.optionalInt, object.optionalString))
        #expect((record.optionalSeason, record.optionalDecimal) == (object.optionalSeason, object.optionalDecimal))
        #expect(record.optionalAddress == object.optionalAddress)
      }
      #expect(place == 5)
    }
  }

  @Test func `order, window and predicate are those of the fetch, and an error ends the walk`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      for number in 0..<20 { context.insert(Trip(code: "\(number)", price: Decimal(number))) }
      try context.save()
      var descriptor = FetchDescriptor<Trip>(
        predicate: #Predicate { $0.price >= 5 }, sortBy: [SortDescriptor(\.price, order: .reverse)])
      (descriptor.fetchLimit, descriptor.fetchOffset) = (3, 1)
      var prices: [Decimal] = []
      try context.withRecords(of: descriptor) { prices.append($0.price) }
      #expect(prices == [18, 17, 16])
      #expect(throws: Stopped.self) {
        try context.withRecords(of: FetchDescriptor<Trip>()) { record in
          prices.append(record.price)
          throw Stopped()
        }
      }
      #expect(prices.count == 4)
    }
  }

  @Test func `targets are identifiers, on whichever side they are stored`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "a")
      context.insert(trip)
      trip.insurance = Insurance(policy: "p")
      trip.stops = [Stop(place: "x")]
      let booking = Booking(number: 1, trip: trip)
      context.insert(booking)
      context.insert(Stop(place: "alone"))
      try context.save()
      var found: [PersistentIdentifier?] = []
      try context.withRecords(of: FetchDescriptor<Trip>()) { found.append(try $0.target(of: \.insurance)) }
      try context.withRecords(of: FetchDescriptor<Insurance>()) { found.append(try $0.target(of: \.trip)) }
      try context.withRecords(of: FetchDescriptor<Booking>()) { found.append(try $0.target(of: \.trip)) }
      try context.withRecords(of: FetchDescriptor<Stop>(sortBy: [SortDescriptor(\.place)])) {
        found.append(try $0.target(of: \.trip))
      }
      let id = trip.persistentModelID
      #expect(found == [trip.insurance?.persistentModelID, id, id, nil, id])
    }
  }

  @Test func `classes that inherit are told apart, and read what they add`() async throws {
    try await withContainer(for: Office.types) { container in
      let context = ModelContext(container)
      let team = Office.Team(name: "day")
      let night = Office.NightTeam(name: "night")
      context.insert(team)
      context.insert(night)
      night.lamp = Office.Badge(name: "lamp")
      try context.save()
      var names: [String] = []
      try context.withRecords(of: FetchDescriptor<Office.Team>()) {
        names.append("\($0.name) \($0.persistentModelID.entityName)")
      }
      #expect(names == ["day Team", "night NightTeam"])
      try context.withRecords(of: FetchDescriptor<Office.NightTeam>()) {
        names.append($0.name)
        let lamp = try $0.target(of: \.lamp)
        #expect(lamp == night.lamp?.persistentModelID)
      }
      #expect(names.last == "night" && names.count == 3)
    }
  }

  @Test func `the walk is over what is saved, in one state, and refuses what takes objects`() async throws {
    try await withContainer { container in
      let (context, other) = (ModelContext(container), ModelContext(container))
      context.insert(Trip(code: "a", name: "saved"))
      context.insert(Trip(code: "b", name: "saved"))
      try context.save()
      try context.fetch(FetchDescriptor<Trip>())[0].name = "unsaved"
      context.insert(Trip(code: "c"))
      var seen: [String] = []
      try context.withRecords(of: FetchDescriptor<Trip>()) { trip in
        other.insert(Trip(code: "new \(seen.count)"))
        try other.save()
        seen.append(trip.name)
        expectError(.saveInSnapshot) { try context.save() }
      }
      #expect(seen == ["saved", "saved"])
      #expect(context.hasChanges)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 5)
      let bySwift = FetchDescriptor<Trip>(predicate: #Predicate { $0.name.count == 5 })
      expectError(.invalidRequest) { try context.withRecords(of: bySwift) { _ in } }
    }
  }
}
