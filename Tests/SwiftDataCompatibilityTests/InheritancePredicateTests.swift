import SwiftData
import Testing

/// Predicates over a hierarchy of models: the store, the context and Swift itself accept the same objects.
@MainActor
@Suite struct InheritancePredicateTests {
  private let container: ModelContainer

  init() throws { container = try makeVehicles() }

  private func vehicles() -> [Vehicle] {
    let (olena, taras) = (Person(name: "Olena"), Person(name: "Taras"))
    let garage = Garage(name: "G")
    let depot = Depot(name: "D")
    let truck = Truck(plate: "T1", payload: 7.5)
    truck.cargo = .milk
    truck.depot = depot
    truck.note = "red"
    let light = Truck(plate: "T2", payload: 0)
    light.chassis = "c"
    let tanker = Tanker(plate: "K1", payload: 12, litres: 29_999)
    tanker.hauls = [Haul(place: "Lviv")]
    let small = Tanker(plate: "K2", payload: 3, litres: 99)
    small.isCooled = false
    small.note = "blue"
    let all = [
      Vehicle(plate: "V1"), Vehicle(plate: "V2", wheels: 3), truck, light, tanker, small,
      Bicycle(plate: "B1", owner: olena), Bicycle(plate: "B2", owner: taras),
    ]
    for vehicle in all.prefix(5) { vehicle.garage = garage }
    garage.reserved = [truck, tanker]
    return all
  }

  /// What a predicate accepts, by each of the three ways; `isWhole`: whether the store decides alone.
  private func expectEqual<V: Vehicle>(
    _ predicate: Predicate<V>, _ expected: [String], isWhole: Bool = true, at place: SourceLocation = #_sourceLocation
  ) throws {
    let all = vehicles()
    let memory = ModelContext(try makeVehicles())
    for vehicle in all { memory.insert(vehicle) }
    let plain = try all.compactMap { $0 as? V }.filter { try predicate.evaluate($0) }.map(\.plate).sorted()
    #expect(plain == expected, sourceLocation: place)
    #expect(try memory.plates(V.self, where: predicate) == expected, "unsaved", sourceLocation: place)
    try memory.save()
    let stored = ModelContext(memory.container)
    #expect(try stored.plates(V.self, where: predicate) == expected, "stored", sourceLocation: place)
    let descriptor = FetchDescriptor(predicate: predicate)
    #expect(try stored.fetchCount(descriptor) == expected.count, sourceLocation: place)
    #expect(try !descriptor.explain(in: stored).contains("in Swift") == isWhole, sourceLocation: place)
  }

  @Test func `a class is asked for by name`() throws {
    try expectEqual(#Predicate<Vehicle> { $0 is Truck }, ["K1", "K2", "T1", "T2"])
    try expectEqual(#Predicate<Vehicle> { !($0 is Truck) }, ["B1", "B2", "V1", "V2"])
    try expectEqual(#Predicate<Vehicle> { $0 is Tanker || $0 is Bicycle }, ["B1", "B2", "K1", "K2"])
    try expectEqual(#Predicate<Vehicle> { $0 is Truck && !($0 is Tanker) && $0.wheels == 6 }, ["T1", "T2"])
    try expectEqual(#Predicate<Truck> { $0 is Tanker }, ["K1", "K2"])
  }

  @Test func `properties of a subclass are nil for objects of other classes`() throws {
    try expectEqual(#Predicate<Vehicle> { ($0 as? Truck)?.payload == 7.5 }, ["T1"])
    try expectEqual(#Predicate<Vehicle> { ($0 as? Truck)?.payload == 0 }, ["T2"])
    try expectEqual(#Predicate<Vehicle> { ($0 as? Truck)?.payload != 7.5 }, ["B1", "B2", "K1", "K2", "T2", "V1", "V2"])
    try expectEqual(#Predicate<Vehicle> { ($0 as? Tanker)?.litres == nil }, ["B1", "B2", "T1", "T2", "V1", "V2"])
    try expectEqual(#Predicate<Vehicle> { ($0 as? Truck)?.note == nil }, ["B1", "B2", "K1", "T2", "V1", "V2"])
    try expectEqual(#Predicate<Vehicle> { ($0 as? Truck)?.note != nil }, ["K2", "T1"])
    try expectEqual(#Predicate<Vehicle> { ($0 as? Truck)?.chassis == "c" }, ["T2"])
    try expectEqual(#Predicate<Truck> { ($0 as? Tanker)?.isCooled == true }, ["K1"])
    try expectEqual(#Predicate<Truck> { ($0 as? Tanker)?.isCooled != true }, ["K2", "T1", "T2"])
    let milk = Cargo.milk
    try expectEqual(#Predicate<Vehicle> { ($0 as? Truck)?.cargo == milk }, ["T1"])
    // Of two classes with properties of one name each has its own.
    try expectEqual(#Predicate<Vehicle> { ($0 as? Bicycle)?.payload == 20 }, ["B1", "B2"])
  }

  @Test func `a cast is bound, chained and given a default`() throws {
    try expectEqual(
      #Predicate<Vehicle> { if let truck = $0 as? Truck { truck.payload > 5 } else { false } }, ["K1", "T1"])
    try expectEqual(
      #Predicate<Vehicle> { if let truck = $0 as? Truck { truck.payload > 5 } else { true } },
      ["B1", "B2", "K1", "T1", "V1", "V2"])
    try expectEqual(#Predicate<Vehicle> { ($0 as? Tanker)?.isCooled ?? false }, ["K1"])
    try expectEqual(#Predicate<Vehicle> { ($0 as? Truck)?.payload ?? 1 > 5 }, ["K1", "T1"], isWhole: false)
    try expectEqual(#Predicate<Vehicle> { ($0 as? Truck)?.depot?.name == "D" }, ["T1"])
    try expectEqual(
      #Predicate<Vehicle> { ($0 as? Truck)?.depot?.name != "D" }, ["B1", "B2", "K1", "K2", "T2", "V1", "V2"])
    try expectEqual(#Predicate<Vehicle> { ($0 as? Bicycle)?.owner.name == "Taras" }, ["B2"])
    let hauling = #Predicate<Vehicle> { vehicle in
      if let truck = vehicle as? Truck {
        truck.hauls.contains { haul in haul.place == "Lviv" }
      } else {
        false
      }
    }
    try expectEqual(hauling, ["K1"])
  }

  @Test func `inherited properties and own ones stand side by side`() throws {
    try expectEqual(#Predicate<Tanker> { $0.plate == "K1" && $0.payload > 1 }, ["K1"])
    try expectEqual(#Predicate<Truck> { $0.garage?.name == "G" && $0.payload < 10 }, ["T1", "T2"])
    try expectEqual(#Predicate<Truck> { $0.note?.contains("e") == true }, ["K2", "T1"])
    try expectEqual(#Predicate<Bicycle> { $0.owner.name == "Olena" && $0.wheels == 2 }, ["B1"])
    try expectEqual(#Predicate<Tanker> { $0.seals.contains("b") }, ["K1", "K2"], isWhole: false)
  }

  @Test func `classes are told apart at the end of relationships too`() throws {
    let all = vehicles()
    let context = container.mainContext
    for vehicle in all { context.insert(vehicle) }
    try context.save()
    let other = ModelContext(container)
    func count(_ predicate: Predicate<Garage>) throws -> Int {
      let garage = try #require(all[0].garage)
      let count = try other.fetchCount(FetchDescriptor(predicate: predicate))
      #expect(try predicate.evaluate(garage) == (count == 1))
      return count
    }
    #expect(try count(#Predicate { $0.vehicles.contains { $0 is Tanker } }) == 1)
    #expect(try count(#Predicate { $0.vehicles.contains { $0 is Bicycle } }) == 0)
    #expect(try count(#Predicate { $0.vehicles.filter { $0 is Truck }.count == 3 }) == 1)
    #expect(try count(#Predicate { $0.vehicles.contains { ($0 as? Truck)?.payload == 12 } }) == 1)
    #expect(try count(#Predicate { $0.reserved.contains { $0.payload == 12 && $0.plate == "K1" } }) == 1)
    let repair = Repair(work: "brakes")
    repair.vehicle = all[4]
    context.insert(repair)
    context.insert(Repair(work: "nothing"))
    try context.save()
    let ofTruck = #Predicate<Repair> { $0.vehicle is Truck }
    #expect(try other.fetch(FetchDescriptor(predicate: ofTruck)).map(\.work) == ["brakes"])
    let ofBicycle = #Predicate<Repair> { $0.vehicle is Bicycle }
    #expect(try other.fetchCount(FetchDescriptor(predicate: ofBicycle)) == 0)
  }
}
