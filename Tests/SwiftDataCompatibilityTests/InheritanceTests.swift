import Observation
import SwiftData
import Testing

/// Models that inherit from models, as an app for Apple's systems has them.
@MainActor
@Suite struct InheritanceTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try makeVehicles()
    context = container.mainContext
  }

  private func classes(_ models: [Vehicle]) -> [String] { models.map { "\($0.plate) \(type(of: $0))" }.sorted() }

  private func expectFailure(_ body: () throws -> Void, at place: SourceLocation = #_sourceLocation) {
    do {
      try body()
      Issue.record("nothing was thrown", sourceLocation: place)
    } catch {
      let isExpected = SwiftDataError.modelValidationFailure ~= error
      #expect(isExpected, "\(error)", sourceLocation: place)
    }
  }

  // MARK: Fetching

  @Test func `a fetch of a class gives the objects of those below it, each of its own class`() throws {
    try context.addVehicles()
    for context in [context, ModelContext(container)] {
      #expect(
        classes(try context.fetch(FetchDescriptor<Vehicle>())) == ["B Bicycle", "K Tanker", "T Truck", "V Vehicle"])
      #expect(classes(try context.fetch(FetchDescriptor<Truck>())) == ["K Tanker", "T Truck"])
      #expect(classes(try context.fetch(FetchDescriptor<Tanker>())) == ["K Tanker"])
      #expect(try context.fetchCount(FetchDescriptor<Truck>()) == 2)
      #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 4)
      let first = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.wheels), SortDescriptor(\.plate)])
      #expect(try context.fetch(first).map(\.plate) == ["B", "V", "T", "K"])
      var heaviest = FetchDescriptor<Truck>(sortBy: [SortDescriptor(\.payload, order: .reverse)])
      heaviest.fetchLimit = 1
      #expect(try context.fetch(heaviest).map(\.summary) == ["K on 10, 12.0 t"])
      let batches = try context.fetch(FetchDescriptor<Truck>(sortBy: [SortDescriptor(\.plate)]), batchSize: 1)
      #expect(batches.map(\.plate) == ["K", "T"])
      var seen: [Vehicle] = []
      try context.enumerate(FetchDescriptor<Vehicle>(), batchSize: 2) { seen.append($0) }
      #expect(classes(seen) == ["B Bicycle", "K Tanker", "T Truck", "V Vehicle"])
    }
  }

  @Test func `values of all classes are given by initialisers, kept by the store and changed`() throws {
    try context.addVehicles()
    let other = ModelContext(container)
    let tanker = try #require(try other.fetch(FetchDescriptor<Tanker>()).first)
    #expect(tanker.litres == 30_000 && tanker.seals == ["a", "b"] && tanker.payload == 12 && tanker.wheels == 10)
    #expect(tanker.cargo == .sand && tanker.chassis == nil && !tanker.isSold && tanker.isCooled && !tanker.isSelected)
    let bicycle = try #require(try other.fetch(FetchDescriptor<Bicycle>()).first)
    #expect(bicycle.owner.name == "Olena" && bicycle.gears == 3 && bicycle.payload == 20 && bicycle.price == 4)
    tanker.cargo = .milk
    tanker.plate = "K2"
    tanker.seals.append("c")
    bicycle.payload = 15
    try other.save()
    #expect(try context.plates(Tanker.self) == ["K2"])
    let same = try #require(try context.fetch(FetchDescriptor<Tanker>()).first)
    #expect(same.cargo == .milk && same.seals == ["a", "b", "c"])
    #expect(try context.fetch(FetchDescriptor<Bicycle>()).map(\.payload) == [15])
    same.setValue(forKey: \.payload, to: 9)
    let payload: Double = same.getValue(forKey: \.payload)
    let plate: String = same.getValue(forKey: \.plate)
    #expect(payload == 9 && plate == "K2" && same.summary == "K2 on 10, 9.0 t")
  }

  @Test func `identifiers name the true class, and objects are found by them`() throws {
    let vehicles = try context.addVehicles()
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
    #expect(identifiers.map(\.entityName) == ["Bicycle", "Tanker", "Truck", "Vehicle"])
    #expect(Set(identifiers) == Set(vehicles.map(\.persistentModelID)))
    let other = ModelContext(container)
    for identifier in identifiers {
      let data = try JSONEncoder().encode(identifier)
      let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
      #expect("\(type(of: other.model(for: decoded)))" == identifier.entityName)
      let found = try other.fetch(FetchDescriptor<Vehicle>(predicate: #Predicate { $0.persistentModelID == decoded }))
      #expect(found.map(\.persistentModelID) == [identifier])
    }
    let tanker = try #require(identifiers.first { $0.entityName == "Tanker" })
    #expect(other.registeredModel(for: tanker) as Vehicle? is Tanker)
    #expect(other.registeredModel(for: tanker) as Bicycle? == nil)
  }

  @Test func `unsaved objects of all classes are in fetches as they will be after the save`() throws {
    try context.addVehicles()
    let tanker = try #require(try context.fetch(FetchDescriptor<Tanker>()).first)
    tanker.payload = 1
    context.insert(Truck(plate: "T2", payload: 2))
    context.insert(Vehicle(plate: "V2"))
    context.delete(try #require(try context.fetch(FetchDescriptor<Bicycle>()).first))
    func found() throws -> [[String]] {
      let light = #Predicate<Truck> { $0.payload < 5 }
      let known = #Predicate<Vehicle> { $0.plate == "T2" }
      return try [
        context.plates(Vehicle.self), context.plates(Truck.self), context.plates(Truck.self, where: light),
        context.plates(Tanker.self), context.plates(Bicycle.self), context.plates(Vehicle.self, where: known),
      ]
    }
    let before = try found()
    #expect(before == [["K", "T", "T2", "V", "V2"], ["K", "T", "T2"], ["K", "T2"], ["K"], [], ["T2"]])
    try context.save()
    #expect(try found() == before)
  }

  @Test func `aggregates and explanations cover a class with those below it`() throws {
    try context.addVehicles()
    let all = try context.aggregate(
      .count, .sum(of: \.wheels), .maximum(of: \.plate), over: FetchDescriptor<Vehicle>())
    #expect(all.0 == 4 && all.1 == 22 && all.2 == "V")
    let trucks = try context.aggregate(
      .count, .sum(of: \.payload), .minimum(of: \.plate), over: FetchDescriptor<Truck>())
    #expect(trucks.0 == 2 && trucks.1 == 19.5 && trucks.2 == "K")
    let groups = try context.aggregate(.count, groupedBy: \Truck.wheels)
    #expect(groups.map(\.key) == [6, 10])
    #expect(try FetchDescriptor<Vehicle>().explain(in: context).contains("Vehicle"))
    #expect(try FetchDescriptor<Truck>().explain(in: context).contains("class"))
  }

  // MARK: Relationships

  @Test func `a relationship to a class holds objects of those below it, in step on both sides`() throws {
    let vehicles = try context.addVehicles()
    let garage = Garage(name: "G")
    context.insert(garage)
    garage.vehicles = vehicles
    garage.reserved = vehicles.compactMap { $0 as? Truck }
    garage.queue = vehicles.reversed()
    let depot = Depot(name: "D")
    depot.trucks = garage.reserved
    #expect(vehicles.allSatisfy { $0.garage === garage })
    try context.save()

    let other = ModelContext(container)
    let same = try #require(try other.fetch(FetchDescriptor<Garage>()).first)
    #expect(classes(same.vehicles) == ["B Bicycle", "K Tanker", "T Truck", "V Vehicle"])
    #expect(classes(same.reserved) == ["K Tanker", "T Truck"])
    #expect(same.queue.map(\.plate) == ["B", "K", "T", "V"])
    let truck = try #require(same.reserved.first { !($0 is Tanker) })
    #expect(truck.garage === same && truck.depot?.trucks?.count == 2)
    truck.garage = nil
    truck.depot = nil
    same.queue.swapAt(0, 3)
    #expect(classes(same.vehicles) == ["B Bicycle", "K Tanker", "V Vehicle"])
    try other.save()
    context.processPendingChanges()
    #expect(classes(garage.vehicles) == ["B Bicycle", "K Tanker", "V Vehicle"])
    #expect(garage.queue.map(\.plate) == ["V", "K", "T", "B"] && depot.trucks?.map(\.plate) == ["K"])
    let driver = Person(name: "Olha")
    driver.trucks = garage.reserved
    try context.save()
    #expect(try other.fetch(FetchDescriptor<Truck>()).flatMap(\.drivers).map(\.name) == ["Olha", "Olha"])
    truck.drivers = []
    try other.save()
    context.processPendingChanges()
    #expect(driver.trucks.map(\.plate) == ["K"])
    // The owner without another side follows to the next, whatever class the owned object has.
    let next = Garage(name: "H")
    context.insert(next)
    next.reserved = garage.reserved.filter { $0 is Tanker }
    try context.save()
    #expect(garage.reserved.map(\.plate) == ["T"] && next.reserved.map(\.plate) == ["K"])
  }

  @Test func `delete rules hold for objects of every class`() throws {
    let vehicles = try context.addVehicles()
    let garage = Garage(name: "G")
    context.insert(garage)
    garage.vehicles = vehicles
    for vehicle in vehicles { vehicle.repairs = [Repair(work: "of \(vehicle.plate)")] }
    let tanker = try #require(vehicles[2] as? Tanker)
    tanker.hauls = [Haul(place: "Lviv")]
    try context.save()
    context.delete(tanker)
    expectFailure { try context.save() }
    context.rollback()
    tanker.hauls = []
    context.delete(tanker)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Repair>()).map(\.work).sorted() == ["of B", "of T", "of V"])
    #expect(garage.vehicles.count == 3 && tanker.isDeleted)
    // A bicycle cannot be without its owner, and goes with it.
    context.delete(try #require(try context.fetch(FetchDescriptor<Person>()).first))
    #expect(try context.plates(Vehicle.self) == ["T", "V"])
    try context.save()
    #expect(try context.plates(Vehicle.self) == ["T", "V"])
    context.delete(garage)
    try context.save()
    #expect(vehicles[0].garage == nil && vehicles[1].garage == nil)
  }

  @Test func `objects of a class are deleted with those below it, or without`() throws {
    try context.addVehicles()
    try context.delete(model: Truck.self, includeSubclasses: false)
    try context.save()
    #expect(try context.plates(Vehicle.self) == ["B", "K", "V"])
    try context.delete(model: Vehicle.self, where: #Predicate { $0.wheels > 4 })
    try context.save()
    #expect(try context.plates(Vehicle.self) == ["B", "V"])
    try context.delete(model: Vehicle.self)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 0)
  }

  // MARK: Uniqueness

  @Test func `a unique value of a class is unique among the objects of all below it`() throws {
    let vehicles = try context.addVehicles()
    let double = Truck(plate: "K", payload: 3)
    context.insert(double)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 4)
    // A truck with the plate of a tanker: the record takes the values, and the class of the object that came last.
    #expect(try context.fetch(FetchDescriptor<Truck>()).map(\.payload).sorted() == [3, 7.5])
    #expect(vehicles[2].isDeleted && !double.isDeleted)
    // One of the root says nothing of the class, so the record stays what it was.
    context.insert(Vehicle(plate: "T", wheels: 8))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Truck>(predicate: #Predicate { $0.wheels == 8 })).map(\.payload) == [7.5])
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Truck>()).count == 2)
    #expect(try other.fetchCount(FetchDescriptor<Vehicle>()) == 4)
  }

  @Test func `a unique value of a subclass concerns its objects alone`() throws {
    let vehicles = try context.addVehicles()
    (vehicles[1] as? Truck)?.chassis = "c"
    try context.save()
    let tanker = Tanker(plate: "K2", payload: 4, litres: 5)
    tanker.chassis = "c"
    context.insert(tanker)
    try context.save()
    #expect(try context.plates(Vehicle.self) == ["B", "K", "K2", "V"])
    context.insert(Truck(plate: "T2", payload: 1))
    context.insert(Truck(plate: "T3", payload: 1))
    try context.save()
    #expect(try context.plates(Truck.self) == ["K", "K2", "T2", "T3"], "nil is not unique")
  }

  // MARK: Changes

  @Test func `history names the class of each object, also of one that is gone`() throws {
    context.author = "app"
    let vehicles = try context.addVehicles()
    let tanker = try #require(vehicles[2] as? Tanker)
    tanker.litres = 1
    tanker.plate = "K2"
    try context.save()
    context.delete(tanker)
    try context.save()
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let names = transactions.map { $0.changes.map(\.changedPersistentIdentifier.entityName).sorted() }
    #expect(names == [["Bicycle", "Person", "Tanker", "Truck", "Vehicle"], ["Tanker"], ["Tanker"]])
    guard case .update(let update as DefaultHistoryUpdate<Tanker>) = transactions[1].changes[0] else {
      Issue.record("\(transactions[1].changes[0])")
      return
    }
    #expect(update.containsAttribute(\.litres) && update.containsAttribute(\.plate))
    #expect(update.updatedAttributes.count == 2)
    #expect(update.changedPersistentIdentifier == tanker.persistentModelID)
  }

  @Test func `observers of a class follow the objects of those below it`() throws {
    let all = try ResultsObserver<Vehicle, Never>(sortBy: [SortDescriptor(\.plate)], modelContext: context)
    let trucks = try ResultsObserver<Truck, Never>(
      filterBy: #Predicate { $0.payload > 5 }, sortBy: [SortDescriptor(\.plate)], modelContext: context)
    let history = try HistoryObserver(observedModels: [Truck.self], modelContainer: container)
    context.insert(Tanker(plate: "K", payload: 12, litres: 1))
    #expect(all.results.map(\.plate) == ["K"] && trucks.results.map(\.plate) == ["K"])
    try context.save()
    let other = ModelContext(container)
    try other.addVehicles()
    context.processPendingChanges()
    #expect(all.results.map(\.plate) == ["B", "K", "T", "V"] && trucks.results.map(\.plate) == ["K", "T"])
    other.insert(Vehicle(plate: "V3"))
    try other.save()
    context.processPendingChanges()
    #expect(all.results.count == 5 && trucks.results.count == 2)
    let counter = try HistoryObserver(
      historyTokens: [:], observedModels: [Bicycle.self], modelContainer: container, isolation: nil)
    other.insert(Truck(plate: "T9", payload: 1))
    try other.save()
    #expect(counter.eventCounter == 0 && history.observedModels.count == 1)
    other.insert(Bicycle(plate: "B9", owner: Person(name: "Taras")))
    try other.save()
    #expect(counter.eventCounter == 1)
  }

  @Test func `observation names an inherited property by the class that declares it`() throws {
    try context.addVehicles()
    let tanker = try #require(try context.fetch(FetchDescriptor<Tanker>()).first)
    nonisolated(unsafe) var changes = 0
    func observe() {
      withObservationTracking {
        _ = (tanker.plate, tanker.litres)
      } onChange: {
        changes += 1
      }
    }
    observe()
    tanker.plate = "K2"
    #expect(changes == 1)
    observe()
    tanker.litres = 2
    #expect(changes == 2)
    try context.save()
    observe()
    let other = ModelContext(container)
    try #require(try other.fetch(FetchDescriptor<Tanker>()).first).plate = "K3"
    try other.save()
    context.processPendingChanges()
    #expect(changes == 3 && tanker.plate == "K3")
  }

  @Test func `changes of objects of every class are undone and taken back`() throws {
    let vehicles = try context.addVehicles()
    let undoManager = UndoManager()
    context.undoManager = undoManager
    let tanker = try #require(vehicles[2] as? Tanker)
    tanker.litres = 5
    tanker.wheels = 12
    try context.save()
    undoManager.undo()
    #expect(tanker.litres == 30_000 && tanker.wheels == 10)
    tanker.cargo = .milk
    context.rollback()
    #expect(tanker.cargo == .sand)
    context.insert(Tanker(plate: "K9", payload: 1, litres: 1))
    context.delete(vehicles[3])
    context.rollback()
    #expect(try context.plates(Vehicle.self) == ["B", "K", "T", "V"])
  }
}
