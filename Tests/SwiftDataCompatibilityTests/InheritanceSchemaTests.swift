import SwiftData
import Testing

/// What superclasses and protocols a model may have beside models.
class Named {
  var label = "none"
  var tag: String { "<\(label)>" }
}

@Model
final class Plaque: Named {
  var number: Int
  init(number: Int) {
    self.number = number
    super.init()
    label = "made"
  }
}

protocol Titled: PersistentModel {
  var title: String { get }
}

@Model
final class Chapter: Titled, CustomStringConvertible {
  var title: String
  var description: String { "chapter \(title)" }
  init(title: String) { self.title = title }
}

@Model
class Sheet: Titled {
  var title: String
  init(title: String) { self.title = title }
}

@Model
final class Score: Sheet, CustomStringConvertible {
  var key: String
  var description: String { "\(title) in \(key)" }
  init(title: String, key: String) {
    self.key = key
    super.init(title: title)
  }
}

/// A subclass that leads nowhere else.
@Model
final class Car: Vehicle {
  var doors = 4
  init(plate: String) { super.init(plate: plate) }
}

enum Contradictory {
  @Model class Base {
    var name: String = ""
    init() {}
  }
  @Model final class UniqueBelow: Base {
    #Unique<UniqueBelow>([\.name])
    override init() { super.init() }
  }
  @Model final class CountedBelow: Base {
    @Relationship(minimumModelCount: 1) var friends: [Base] = []
    override init() { super.init() }
  }
  @Model final class Stranger {
    var base: Base?
    init() {}
  }
  @Model final class Related: Base {
    @Relationship(inverse: \Stranger.base) var strangers: [Stranger] = []
    override init() { super.init() }
  }
}

@MainActor
@Suite struct InheritanceSchemaTests {
  @Test func `a schema knows the superentity and the subentities of each class`() throws {
    // The superclass is reached from the subclass, whichever is named.
    let schema = Schema([Tanker.self, Bicycle.self])
    let vehicle = try #require(schema.entity(for: Vehicle.self))
    let truck = try #require(schema.entitiesByName["Truck"])
    let tanker = try #require(schema.entitiesByName["Tanker"])
    #expect(vehicle.superentity == nil && vehicle.subentities.map(\.name).sorted() == ["Bicycle", "Truck"])
    #expect(truck.superentity === vehicle && truck.superentityName == "Vehicle" && truck.subentities == [tanker])
    #expect(tanker.properties.map(\.name) == ["litres", "seals", "isCooled"])
    #expect(tanker.inheritedPropertiesByName["plate"] != nil && tanker.inheritedPropertiesByName["payload"] != nil)
    #expect(vehicle.uniquenessConstraints == [["plate"]] && truck.uniquenessConstraints == [["chassis"]])
    #expect(truck.indices == [["payload"]] && tanker.indices == [] && vehicle.indices == [["wheels"]])
  }

  @Test func `a schema with a hierarchy is saved and loaded, and opens a container`() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID().uuidString).json")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) } }
    let schema = Schema(vehicleModels)
    try schema.save(to: url)
    let loaded = try Schema.load(from: url)
    #expect(loaded == schema)
    #expect(loaded.entitiesByName["Tanker"]?.superentity === loaded.entitiesByName["Truck"])
    #expect(loaded.entitiesByName["Vehicle"]?.subentities.count == 2)
    let container = try ModelContainer(for: loaded, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try container.mainContext.addVehicles()
    #expect(try container.mainContext.plates(Truck.self) == ["K", "T"])
  }

  @Test func `subclasses lie in the store of their superclass`() throws {
    let first = ModelConfiguration(schema: Schema([Vehicle.self]), isStoredInMemoryOnly: true)
    let rest = ModelConfiguration(isStoredInMemoryOnly: true)
    let schema = Schema([Vehicle.self, Car.self, Chapter.self])
    let container = try ModelContainer(for: schema, configurations: [rest, first])
    let context = ModelContext(container)
    let (car, chapter) = (Car(plate: "C"), Chapter(title: "one"))
    context.insert(car)
    context.insert(Vehicle(plate: "V"))
    context.insert(chapter)
    try context.save()
    #expect(car.persistentModelID.storeIdentifier != chapter.persistentModelID.storeIdentifier)
    #expect(try context.plates(Vehicle.self) == ["C", "V"])
  }

  @Test func `superclasses that are no models and protocols of models stay what they are`() throws {
    let container = try ModelContainer(
      for: Plaque.self, Chapter.self, Score.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = container.mainContext
    let badge = Plaque(number: 7)
    context.insert(badge)
    context.insert(Chapter(title: "one"))
    context.insert(Sheet(title: "plain"))
    context.insert(Score(title: "song", key: "G"))
    try context.save()
    #expect(badge.tag == "<made>" && badge.persistentModelID.entityName == "Plaque")
    let other = ModelContext(container)
    let same = try #require(try other.fetch(FetchDescriptor<Plaque>()).first)
    #expect(same.number == 7 && same.label == "none", "what the superclass holds is not stored")
    #expect(try other.fetch(FetchDescriptor<Chapter>()).map(\.description) == ["chapter one"])
    let sheets = try other.fetch(FetchDescriptor<Sheet>(sortBy: [SortDescriptor(\.title)]))
    #expect(sheets.map(\.title) == ["plain", "song"] && "\(sheets[1])" == "song in G")
    func titles<T: Titled>(_ type: T.Type) throws -> [String] { try other.fetch(FetchDescriptor<T>()).map(\.title) }
    #expect(try titles(Score.self) == ["song"])
  }

  @Test func `declarations that a hierarchy cannot keep are refused with their remedy`() throws {
    func refusal(of type: any PersistentModel.Type) -> String {
      do {
        _ = try ModelContainer(
          for: Schema([type]), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(refusal(of: Contradictory.Base.self) == "")
    #expect(refusal(of: Contradictory.UniqueBelow.self).contains("declare it in the class that has the properties"))
    #expect(refusal(of: Contradictory.CountedBelow.self).contains("CountedBelow.friends has a least number"))
    #expect(refusal(of: Contradictory.Related.self).contains("let each lead to the class that the other stands in"))
  }

  @Test func `snapshots of objects of every class go to a data store and back`() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "vehicles-\(UUID().uuidString).json")
    let schema = Schema(vehicleModels)
    let configuration = JSONStoreConfiguration(name: "json", schema: schema, fileURL: url)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) } }
    let context = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
    context.insert(Tanker(plate: "K", payload: 12, litres: 29_999))
    context.insert(Vehicle(plate: "V"))
    try context.save()
    let other = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
    let tanker = try #require(try other.fetch(FetchDescriptor<Tanker>()).first)
    #expect(tanker.plate == "K" && tanker.litres == 30_000 && tanker.payload == 12)
    tanker.payload = 13
    try other.save()
    let third = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
    #expect(try third.fetch(FetchDescriptor<Tanker>()).map(\.payload) == [13])
    #expect(try third.fetch(FetchDescriptor<Vehicle>()).map(\.plate) == ["V"])
  }
}
