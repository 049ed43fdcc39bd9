import SwiftData
import Testing

@MainActor
@Suite struct ContextTests {
  @Test func `objects are inserted, fetched, changed and deleted`() throws {
    let container = try makeContainer()
    let context = container.mainContext
    let trip = Trip(code: "A1", name: "Carpathians", destination: "Yaremche", start: .day(1), end: .day(4))
    #expect(!context.hasChanges)
    context.insert(trip)
    trip.tags.append("mountains")
    trip.weather = Weather(degrees: 12.5, isDry: true)
    trip.budget = Decimal(string: "120.50")!
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)

    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    #expect(found.name == "Carpathians")
    #expect(found.tags == ["mountains"])
    #expect(found.weather == Weather(degrees: 12.5, isDry: true))
    #expect(found.budget == Decimal(string: "120.50"))
    #expect(found.length == 3 * 86_400)
    #expect(!found.isSelected)
    found.name = "The Carpathians"
    other.delete(found.stops.first ?? Stop(place: "", order: 0))
    try other.save()

    let refreshed = try context.fetch(FetchDescriptor<Trip>())
    #expect(refreshed.map(\.name) == ["The Carpathians"])
    #expect(refreshed.first === trip)
    context.delete(trip)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(trip.isDeleted)
  }

  @Test func `rollback gives back what was saved`() throws {
    let context = try makeContainer().mainContext
    let trip = Trip(code: "A1", name: "One", destination: "Lviv", start: .day(1))
    context.insert(trip)
    try context.save()
    trip.name = "Two"
    context.insert(Trip(code: "A2", name: "Three", destination: "Odesa", start: .day(2)))
    context.rollback()
    #expect(trip.name == "One")
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(!context.hasChanges)
  }

  @Test func `a unique attribute makes the second insert an update`() throws {
    let context = try makeContainer().mainContext
    context.insert(Trip(code: "A1", name: "One", destination: "Lviv", start: .day(1)))
    try context.save()
    context.insert(Trip(code: "A1", name: "Two", destination: "Kyiv", start: .day(2)))
    try context.save()
    let trips = try context.fetch(FetchDescriptor<Trip>())
    #expect(trips.map(\.name) == ["Two"])
  }

  @Test func `delete rules cascade, nullify and deny`() throws {
    let context = try makeContainer().mainContext
    let trip = Trip(code: "A1", name: "One", destination: "Lviv", start: .day(1))
    context.insert(trip)
    let traveler = Traveler(email: "o@example.com", firstName: "Olena")
    trip.stops = [Stop(place: "Stryi", order: 1), Stop(place: "Skole", order: 2)]
    trip.companions.append(traveler)
    traveler.passport = Passport(number: "X1")
    try context.save()
    #expect(trip.stops.allSatisfy { $0.trip === trip })
    #expect(traveler.trips == [trip])

    context.delete(trip)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
    #expect(traveler.trips.isEmpty)

    context.delete(traveler)
    #expect(#expect(throws: SwiftDataError.self) { try context.save() }?.code == .deleteDenied)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Traveler>()) == 1)
  }

  @Test func `objects are found by identifier, which survives encoding`() throws {
    let container = try makeContainer()
    let context = container.mainContext
    let trip = Trip(code: "A1", name: "One", destination: "Lviv", start: .day(1))
    context.insert(trip)
    try context.save()
    let encoded = try JSONEncoder().encode(trip.persistentModelID)
    let id = try JSONDecoder().decode(PersistentIdentifier.self, from: encoded)
    #expect(ModelContext(container).model(for: id) as? Trip == trip)
    #expect((ModelContext(container).model(for: id) as? Trip)?.name == "One")
    let registered: Trip? = context.registeredModel(for: id)
    #expect(registered === trip)
  }

  @Test func `a model actor works beside the main context`() async throws {
    let container = try makeContainer()
    let importer = Importer(modelContainer: container)
    let id = try await importer.add("A1")
    #expect(try container.mainContext.fetch(FetchDescriptor<Trip>()).map(\.persistentModelID) == [id])
    #expect(await importer.name(of: id) == "Imported")
  }

  // The main context used to be told by the store's own thread, which came before the waiting task or after it.
  @Test func `code that waited for an actor's save sees it in the objects of the main context`() async throws {
    let container = try makeContainer()
    let importer = Importer(modelContainer: container)
    let id = try await importer.add("A1")
    let trip = try #require(container.mainContext.model(for: id) as? Trip)
    for number in 1...100 {
      try await importer.rename(id, to: "name \(number)")
      #expect(trip.name == "name \(number)")
    }
  }

  @Test func `all objects that satisfy a predicate are deleted`() throws {
    let context = try makeContainer().mainContext
    for number in 1...4 {
      context.insert(Trip(code: "\(number)", name: "n", destination: "d", start: .day(number)))
    }
    try context.save()
    let limit = Date.day(3)
    try context.delete(model: Trip.self, where: #Predicate { $0.start < limit })
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
  }
}

@ModelActor
actor Importer {
  func add(_ code: String) throws -> PersistentIdentifier {
    let trip = Trip(code: code, name: "Imported", destination: "Kyiv", start: .day(1))
    modelContext.insert(trip)
    try modelContext.save()
    return trip.persistentModelID
  }

  func rename(_ id: PersistentIdentifier, to name: String) throws {
    self[id, as: Trip.self]?.name = name
    try modelContext.save()
  }

  func name(of id: PersistentIdentifier) -> String? { self[id, as: Trip.self]?.name }
}
