import Foundation
import Tandem
import Testing

private enum Fleet {
  static let models: [any PersistentModel.Type] = [Ship.self, Freighter.self, Coaster.self, Yacht.self]

  @Model class Ship {
    @Attribute(.unique) var plate: String
    var size: Int
    init(plate: String, size: Int) { (self.plate, self.size) = (plate, size) }
  }
  @Model class Freighter: Ship {
    var tons: Int = 1
    override init(plate: String, size: Int) { super.init(plate: plate, size: size) }
  }
  @Model final class Coaster: Freighter {
    var harbours: Int = 2
    override init(plate: String, size: Int) { super.init(plate: plate, size: size) }
  }
  @Model final class Yacht: Ship {
    var sails: Int = 3
    override init(plate: String, size: Int) { super.init(plate: plate, size: size) }
  }
}

/// Fetches of the classes of a hierarchy before a save in which an object of one class takes the unique value, and so
/// the record, of an object of another.
struct HierarchyPendingTests {
  private func answers(_ context: ModelContext) throws -> [String] {
    func line<T: Fleet.Ship>(_ found: [T]) -> String {
      found.map { (ship: Fleet.Ship) in "\(ship.plate) \(ship.size)" }.sorted().joined(separator: ", ")
    }
    return [
      "freighters: " + line(try context.fetch(FetchDescriptor<Fleet.Freighter>())),
      "coasters: " + line(try context.fetch(FetchDescriptor<Fleet.Coaster>())),
      "yachts: " + line(try context.fetch(FetchDescriptor<Fleet.Yacht>())),
      "a: " + line(try context.fetch(FetchDescriptor<Fleet.Freighter>(predicate: #Predicate { $0.plate == "a" }))),
      "small: " + line(try context.fetch(FetchDescriptor<Fleet.Freighter>(predicate: #Predicate { $0.size < 9 }))),
      "some: "
        + line(try context.fetch(FetchDescriptor<Fleet.Freighter>(predicate: #Predicate { $0.plate.count > 0 }))),
      "\(try context.fetchCount(FetchDescriptor<Fleet.Freighter>())) freighters",
    ]
  }

  /// A fetch of the former class still gave the object.
  @Test func `a fetch of a class leaves out a record that an unsaved object of another class takes`() async throws {
    try await withContainer(for: Fleet.models) { container in
      let context = ModelContext(container)
      for plate in ["a", "b"] { context.insert(Fleet.Freighter(plate: plate, size: 1)) }
      context.insert(Fleet.Coaster(plate: "c", size: 1))
      try context.save()
      // The last of them counts.
      context.insert(Fleet.Coaster(plate: "a", size: 2))
      context.insert(Fleet.Yacht(plate: "a", size: 3))
      context.insert(Fleet.Freighter(plate: "c", size: 4))
      let before = try answers(context)
      #expect(before[0] == "freighters: b 1, c 4")
      #expect(before[2] == "yachts: a 3")
      try context.save()
      #expect(try answers(context) == before)
      #expect(try answers(ModelContext(container)) == before)
    }
  }

  /// So it would be seen nowhere.
  @Test func `a record stays in its class where an unsaved object of the root takes its value`() async throws {
    try await withContainer(for: Fleet.models) { container in
      let context = ModelContext(container)
      context.insert(Fleet.Freighter(plate: "a", size: 1))
      try context.save()
      context.insert(Fleet.Ship(plate: "a", size: 1))
      let before = try answers(context)
      #expect(before[0] == "freighters: a 1" && before[6] == "1 freighters")
      try context.save()
      #expect(try answers(context) == before)
    }
  }
}
