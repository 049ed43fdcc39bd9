import SwiftData
import Testing

/// An object belongs to its context until its delete is saved, by whatever route it was deleted.
@MainActor
@Suite struct DeletedObjectTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try makeContainer()
    context = container.mainContext
  }

  private func savedTrip(_ code: String, stops: Int = 0) throws -> Trip {
    let trip = Trip(code: code, name: code, destination: "Lviv", start: .day(1))
    context.insert(trip)
    trip.stops = (0..<stops).map { Stop(place: "\(code)-\($0)", order: $0) }
    try context.save()
    return trip
  }

  @Test func `a deleted object has its context until the save and none afterwards`() throws {
    let trip = try savedTrip("A1")
    context.delete(trip)
    #expect(trip.modelContext === context && trip.isDeleted)
    try context.save()
    #expect(trip.modelContext == nil && trip.isDeleted && trip.name == "A1")
  }

  @Test func `an object that a cascade took along has no context, one that was only linked keeps it`() throws {
    let trip = try savedTrip("A1", stops: 2)
    let stops = trip.stops
    let lead = Traveler(email: "o@example.com", firstName: "Olena")
    trip.lead = lead
    try context.save()
    context.delete(trip)
    #expect(stops.allSatisfy { $0.modelContext === context })
    try context.save()
    #expect(stops.count == 2 && stops.allSatisfy { $0.modelContext == nil && $0.isDeleted })
    #expect(lead.modelContext === context && !lead.isDeleted)
  }

  @Test func `an object that delete(model:) took has no context after the save`() throws {
    let (one, two) = (try savedTrip("A1"), try savedTrip("A2", stops: 1))
    let stop = try #require(two.stops.first)
    try context.delete(model: Trip.self, where: #Predicate { $0.code == "A2" })
    #expect(two.modelContext === context)
    try context.save()
    #expect(two.modelContext == nil && stop.modelContext == nil && one.modelContext === context)
    try context.delete(model: Trip.self)
    try context.save()
    #expect(one.modelContext == nil)
  }

  @Test func `an object that was never saved has no context once it is deleted`() throws {
    let parent = try savedTrip("A1")
    let (trip, child) = (Trip(code: "A2", name: "", destination: "", start: .day(2)), Stop(place: "new", order: 1))
    context.insert(trip)
    context.delete(trip)
    #expect(trip.modelContext == nil)
    // A child of a parent that is saved and deleted never reaches the store.
    parent.stops.append(child)
    context.delete(parent)
    try context.save()
    #expect(child.modelContext == nil && parent.modelContext == nil)
  }

  @Test func `a delete that is taken back leaves the object its context`() throws {
    let trip = try savedTrip("A1")
    context.delete(trip)
    context.rollback()
    #expect(trip.modelContext === context && !trip.isDeleted)
    context.delete(trip)
    context.insert(trip)
    try context.save()
    #expect(trip.modelContext === context)
  }

  @Test func `an object that left the store joins a context again by an insert`() throws {
    let trip = try savedTrip("A1")
    context.delete(trip)
    try context.save()
    let other = ModelContext(container)
    other.insert(trip)
    #expect(trip.modelContext === other && !trip.isDeleted)
    try other.save()
    #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["A1"])
  }

  @Test func `undoing a saved delete gives the object its context back`() throws {
    context.undoManager = UndoManager()
    let trip = try savedTrip("A1")
    context.delete(trip)
    try context.save()
    #expect(trip.modelContext == nil)
    context.undoManager?.undo()
    #expect(trip.modelContext === context)
    context.undoManager?.redo()
    try context.save()
    #expect(trip.modelContext == nil)
  }

  @Test func `an object that another context deleted, or that was erased, has no context`() throws {
    let (one, two) = (try savedTrip("A1"), try savedTrip("A2"))
    let other = ModelContext(container)
    let found = try #require(other.model(for: one.persistentModelID) as? Trip)
    other.delete(found)
    try other.save()
    #expect(found.modelContext == nil)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(one.modelContext == nil && two.modelContext === context)
    try container.erase()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(two.modelContext == nil)
  }
}
