import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

/// Classes of an app and of its widget, or of two versions of an app, that say the same links in other ways.
enum Garage {
  /// A car knows its wheels, and a wheel nothing.
  enum Plain {
    @Model final class Car {
      var name: String
      @Relationship(deleteRule: .cascade) var key: Key?
      var wheels: [Wheel] = []
      init(name: String) { self.name = name }
    }
    @Model final class Wheel {
      var size: Int
      init(size: Int) { self.size = size }
    }
    @Model final class Key {
      var number: Int
      init(number: Int) { self.number = number }
    }
  }

  /// A key goes with its car, so the key's record says whose it is; a spare wheel fits many cars.
  enum Linked {
    @Model final class Car {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Key.car) var key: Key?
      @Relationship(inverse: \Wheel.cars) var wheels: [Wheel] = []
      init(name: String) { self.name = name }
    }
    @Model final class Wheel {
      var size: Int
      var cars: [Car] = []
      init(size: Int) { self.size = size }
    }
    @Model final class Key {
      var number: Int
      var car: Car?
      init(number: Int) { self.number = number }
    }
  }

  /// A car goes with its key.
  enum Turned {
    @Model final class Car {
      var name: String
      var key: Key?
      init(name: String) { self.name = name }
    }
    @Model final class Key {
      var number: Int
      @Relationship(deleteRule: .cascade, inverse: \Car.key) var car: Car?
      init(number: Int) { self.number = number }
    }
  }

  /// The former name of a property is a new property's.
  enum Renamed {
    @Model final class Key {
      @Attribute(originalName: "number") var code: Int
      var number: Int = 0
      init(code: Int) { self.code = code }
    }
  }
}

struct MovedPlacesTests {
  private func withStore(_ body: (URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let url = folder.appendingPathComponent("garage.store")
    let outcome = Result {
      try body(url)
      try expectSound(RecordStore.open(StoreConfiguration(url: url)))
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func open(_ url: URL, _ major: Int, _ models: any PersistentModel.Type...) throws -> ModelContext {
    let schema = Schema(models, version: Schema.Version(major, 0, 0))
    let configuration = ModelConfiguration(schema: schema, url: url)
    return ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
  }

  private func message(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let error as StoreError where error.code == .backwardMigration {
      return error.message
    } catch {
      return "\(error)"
    }
  }

  @Test func `a process whose links have moved to other records is refused until it opens the store anew`() throws {
    try withStore { url in
      let old = try open(url, 1, Garage.Turned.Car.self, Garage.Turned.Key.self)
      let car = Garage.Turned.Car(name: "red")
      old.insert(car)
      car.key = Garage.Turned.Key(number: 1)
      try old.save()

      let new = try open(url, 2, Garage.Linked.Car.self, Garage.Linked.Wheel.self, Garage.Linked.Key.self)
      try new.fetch(FetchDescriptor<Garage.Linked.Car>()).first?.key = Garage.Linked.Key(number: 2)
      try new.save()

      let reason = "the store's schema has changed and keeps the values of Car.key elsewhere: open the store anew"
      #expect(message { _ = try old.fetch(FetchDescriptor<Garage.Turned.Car>()) } == reason)
      car.key = Garage.Turned.Key(number: 3)
      #expect(message { try old.save() } == reason)

      let anew = try open(url, 1, Garage.Turned.Car.self, Garage.Turned.Key.self)
      let found = try #require(try anew.fetch(FetchDescriptor<Garage.Turned.Car>()).first)
      #expect(found.key?.number == 2)
      found.key = Garage.Turned.Key(number: 4)
      try anew.save()
      #expect(try new.fetch(FetchDescriptor<Garage.Linked.Car>()).first?.key?.number == 4)
    }
  }

  @Test func `a process is refused once another property has the name of one of its own`() throws {
    try withStore { url in
      let old = try open(url, 1, Garage.Plain.Key.self)
      old.insert(Garage.Plain.Key(number: 7))
      try old.save()
      let new = try open(url, 2, Garage.Renamed.Key.self)
      #expect(try new.fetch(FetchDescriptor<Garage.Renamed.Key>()).map(\.code) == [7])
      let reason = "the store's schema has changed and keeps the values of Key.number elsewhere: open the store anew"
      #expect(message { _ = try old.fetch(FetchDescriptor<Garage.Plain.Key>()) } == reason)
    }
  }

  @Test(arguments: [1, 2])
  func `classes that leave the other side out save the links that another app's classes say in full`(
    _ version: Int
  ) throws {
    try withStore { url in
      let app = try open(url, version, Garage.Linked.Car.self, Garage.Linked.Wheel.self, Garage.Linked.Key.self)
      let widget = try open(url, 1, Garage.Plain.Car.self, Garage.Plain.Wheel.self, Garage.Plain.Key.self)
      let car = Garage.Plain.Car(name: "red")
      widget.insert(car)
      car.key = Garage.Plain.Key(number: 1)
      car.wheels = [15, 16].map { Garage.Plain.Wheel(size: $0) }
      try widget.save()
      func state() throws -> String {
        let cars = try app.fetch(FetchDescriptor<Garage.Linked.Car>(sortBy: [SortDescriptor(\.name)]))
        return cars.map { car in
          let back = car.key?.car?.name ?? "none"
          return "\(car.name) \(car.key?.number ?? 0) of \(back) \(car.wheels.map(\.size).sorted())"
        }.joined(separator: ", ")
      }
      #expect(try state() == "red 1 of red [15, 16]")

      car.key = Garage.Plain.Key(number: 2)
      car.wheels.removeAll { $0.size == 15 }
      try widget.save()
      #expect(try state() == "red 2 of red [16]")
      #expect(try app.fetch(FetchDescriptor<Garage.Linked.Key>()).filter { $0.car != nil }.map(\.number) == [2])

      let other = Garage.Plain.Car(name: "white")
      widget.insert(other)
      other.key = car.key
      car.key = nil
      try widget.save()
      #expect(try state() == "red 0 of none [16], white 2 of white []")

      for key in try widget.fetch(FetchDescriptor<Garage.Plain.Key>()) where key.number == 1 {
        other.key = key
        widget.delete(car)
      }
      try widget.save()
      #expect(try state() == "white 1 of white []")
      other.key = nil
      try widget.save()
      #expect(try state() == "white 0 of none []")
    }
  }

  @Test func `of two apps that declare one version otherwise, the refused one hears what to do`() throws {
    try withStore { url in
      let one = try open(url, 1, Garage.Plain.Key.self)
      one.insert(Garage.Plain.Key(number: 7))
      try one.save()
      _ = try open(url, 1, GarageWithoutNumbers.Key.self)
      #expect(
        message { _ = try one.fetch(FetchDescriptor<Garage.Plain.Key>()) }
          == "another app has given Key of schema version 1.0.0 other properties than this app declares: open the "
          + "store anew, and give a schema that changes a new version")
    }
  }
}

enum GarageWithoutNumbers {
  @Model final class Key {
    var label: String?
    init() {}
  }
}
