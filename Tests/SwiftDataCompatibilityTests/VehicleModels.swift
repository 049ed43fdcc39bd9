import SwiftData

// A hierarchy of models as an app for Apple's systems has it: this file knows SwiftData and nothing else.

@Model
class Vehicle {
  #Unique<Vehicle>([\.plate])
  #Index<Vehicle>([\.wheels])
  #Group<Vehicle>(\.isSold, \.price)

  var plate: String
  var wheels: Int = 4
  var isSold = false
  var price: Decimal?
  var garage: Garage?
  @Relationship(deleteRule: .cascade, inverse: \Repair.vehicle) var repairs: [Repair] = []
  @Transient var isSelected = false

  init(plate: String, wheels: Int = 4) {
    self.plate = plate
    self.wheels = wheels
  }

  var summary: String { "\(plate) on \(wheels)" }
}

enum Cargo: String, Codable, CaseIterable {
  case milk, sand
}

@Model
class Truck: Vehicle {
  #Unique<Truck>([\.chassis])
  #Index<Truck>([\.payload])

  var payload: Double
  var cargo: Cargo = Cargo.sand
  var chassis: String?
  var note: String?
  /// The truck's own, where other vehicles have none.
  var depot: Depot?
  @Relationship(deleteRule: .deny, inverse: \Haul.truck) var hauls: [Haul] = []
  var drivers: [Person] = []

  init(plate: String, payload: Double) {
    self.payload = payload
    super.init(plate: plate, wheels: 6)
  }

  override var summary: String { super.summary + ", \(payload) t" }
}

@Model
final class Tanker: Truck {
  var litres: Int
  var seals: [String] = ["a", "b"]
  var isCooled: Bool = true

  init(plate: String, payload: Double, litres: Int) {
    self.litres = litres
    super.init(plate: plate, payload: payload)
    wheels = 10
    self.litres += 1
  }
}

@Model
final class Bicycle: Vehicle {
  var gears: Int = 3
  /// Under the same name as the truck's, and of another type.
  var payload: Int = 20
  var owner: Person

  init(plate: String, owner: Person) {
    // Another object of the hierarchy is made before this one is whole.
    let double = Vehicle(plate: plate + " double")
    self.owner = owner
    super.init(plate: plate, wheels: 2)
    price = Decimal(double.wheels)
  }
}

@Model
final class Garage {
  var name: String
  @Relationship(inverse: \Vehicle.garage) var vehicles: [Vehicle] = []
  /// Without another side, and only for trucks.
  var reserved: [Truck] = []
  @Relationship(.ordered) var queue: [Vehicle] = []

  init(name: String) { self.name = name }
}

@Model
final class Depot {
  var name: String
  @Relationship(inverse: \Truck.depot) var trucks: [Truck]? = []

  init(name: String) { self.name = name }
}

@Model
final class Repair {
  var work: String
  var vehicle: Vehicle?

  init(work: String) { self.work = work }
}

@Model
final class Haul {
  var place: String
  var truck: Truck?

  init(place: String) { self.place = place }
}

@Model
final class Person {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Bicycle.owner) var bicycles: [Bicycle] = []
  @Relationship(inverse: \Truck.drivers) var trucks: [Truck] = []

  init(name: String) { self.name = name }
}

let vehicleModels: [any PersistentModel.Type] = [
  Vehicle.self, Truck.self, Tanker.self, Bicycle.self, Garage.self, Repair.self, Haul.self, Person.self,
]

func makeVehicles() throws -> ModelContainer {
  try ModelContainer(
    for: Schema(vehicleModels), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

extension ModelContext {
  /// One vehicle of each class, saved; `V` is one of the root class.
  @discardableResult
  func addVehicles() throws -> [Vehicle] {
    let vehicles = [
      Vehicle(plate: "V"), Truck(plate: "T", payload: 7.5), Tanker(plate: "K", payload: 12, litres: 29_999),
      Bicycle(plate: "B", owner: Person(name: "Olena")),
    ]
    for vehicle in vehicles { insert(vehicle) }
    try save()
    return vehicles
  }

  func plates<V: Vehicle>(_ type: V.Type, where predicate: Predicate<V>? = nil) throws -> [String] {
    try fetch(FetchDescriptor<V>(predicate: predicate)).map(\.plate).sorted()
  }
}
