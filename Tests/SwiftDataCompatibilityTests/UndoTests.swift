import SwiftData
import Testing

@MainActor
@Suite struct UndoTests {
  private let context: ModelContext
  private let undoManager = UndoManager()

  init() throws {
    context = try makeContainer().mainContext
    context.undoManager = undoManager
  }

  private func trip(_ code: String) -> Trip { Trip(code: code, name: code, destination: "Lviv", start: .day(1)) }
  private func codes() throws -> [String] {
    try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)])).map(\.code)
  }

  @Test func `attributes are undone and redone, across saves`() throws {
    let trip = trip("A1")
    context.insert(trip)
    try context.save()
    trip.name = "New"
    trip.tags = ["x"]
    trip.weather = Weather(degrees: 1, isDry: true)
    try context.save()
    trip.name = "Newer"
    undoManager.undo()
    #expect(trip.name == "New" && trip.tags == ["x"])
    undoManager.undo()
    #expect(trip.name == "A1" && trip.tags.isEmpty && trip.weather == nil && context.hasChanges)
    undoManager.redo()
    #expect(trip.name == "New" && trip.weather == Weather(degrees: 1, isDry: true))
    try context.save()
    #expect(undoManager.canUndo && undoManager.canRedo)
    undoManager.redo()
    #expect(trip.name == "Newer" && !undoManager.canRedo)
    undoManager.undo()
    trip.name = "Else"
    #expect(!undoManager.canRedo)
  }

  @Test func `inserts are undone before and after a save`() throws {
    context.insert(trip("A1"))
    undoManager.undo()
    #expect(try codes().isEmpty && !context.hasChanges)
    undoManager.redo()
    #expect(try codes() == ["A1"])
    try context.save()
    undoManager.undo()
    try context.save()
    #expect(try codes().isEmpty)
    undoManager.redo()
    try context.save()
    #expect(try codes() == ["A1"])
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test(arguments: [false, true]) func `deletes are undone with what went along`(isSaved: Bool) throws {
    let (one, two) = (trip("A1"), trip("A2"))
    context.insert(one)
    context.insert(two)
    one.stops = [Stop(place: "Market", order: 1), Stop(place: "Bridge", order: 2)]
    let olena = Traveler(email: "o@example.com", firstName: "Olena")
    one.companions = [olena]
    two.companions = [olena]
    try context.save()
    context.delete(one)
    if isSaved { try context.save() }
    #expect(try codes() == ["A2"])
    undoManager.undo()
    #expect(try codes() == ["A1", "A2"])
    try context.save()
    let other = ModelContext(context.container)
    let found = try #require(try other.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.code == "A1" })).first)
    #expect(found.stops.map(\.place).sorted() == ["Bridge", "Market"] && found.name == "A1")
    #expect(found.companions.first?.trips.count == 2)
    undoManager.redo()
    try context.save()
    #expect(try codes() == ["A2"])
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
  }

  @Test func `both sides of relationships are undone`() throws {
    let (one, two) = (trip("A1"), trip("A2"))
    let (market, bridge) = (Stop(place: "Market", order: 1), Stop(place: "Bridge", order: 2))
    for trip in [one, two] { context.insert(trip) }
    one.stops = [market]
    two.stops = [bridge]
    try context.save()
    bridge.trip = one
    try context.save()
    #expect(one.stops.count == 2)
    undoManager.undo()
    #expect(one.stops == [market] && two.stops == [bridge] && bridge.trip === two)
    undoManager.redo()
    #expect(one.stops.count == 2 && two.stops.isEmpty)
    try context.save()
    two.stops = [market, bridge]
    undoManager.undo()
    #expect(one.stops.count == 2 && two.stops.isEmpty && market.trip === one)
    one.stops.append(Stop(place: "New", order: 3))
    try context.save()
    undoManager.undo()
    #expect(one.stops.count == 2)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 2)
  }

  @Test func `groups have names and levels, and a rollback forgets`() throws {
    let trip = trip("A1")
    context.insert(trip)
    try context.save()
    undoManager.removeAllActions()
    undoManager.beginUndoGrouping()
    trip.name = "B"
    undoManager.beginUndoGrouping()
    trip.destination = "Kyiv"
    undoManager.endUndoGrouping()
    undoManager.setActionName("Move")
    undoManager.endUndoGrouping()
    #expect(undoManager.undoActionName == "Move" && undoManager.undoMenuItemTitle == "Undo Move")
    undoManager.undo()
    #expect(trip.name == "A1" && trip.destination == "Lviv" && undoManager.redoActionName == "Move")
    undoManager.disableUndoRegistration()
    trip.name = "C"
    undoManager.enableUndoRegistration()
    #expect(!undoManager.canUndo)
    undoManager.groupsByEvent = false
    undoManager.levelsOfUndo = 2
    for name in ["D", "E", "F"] { trip.name = name }
    undoManager.undo()
    undoManager.undo()
    undoManager.undo()
    #expect(trip.name == "D")
    context.rollback()
    #expect(!undoManager.canUndo && !undoManager.canRedo && trip.name == "A1")
    undoManager.undo()
    undoManager.endUndoGrouping()
    context.undoManager = nil
    trip.name = "G"
    #expect(!undoManager.canUndo)
  }
}
