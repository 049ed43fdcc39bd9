import Foundation
import Tandem
import TestSupport
import Testing

/// Random work in two contexts on one store, against plain dictionaries that do the same.
struct ContextTwinTests {
  /// What a stop is to the twin.
  private struct Values: Equatable {
    var place: String
    var order: Int
  }

  /// One context and what its twin expects it to see.
  private struct Side: Equatable {
    let context: ModelContext
    /// Fields that were set and not saved; a new object has both.
    var places: [PersistentIdentifier: String] = [:]
    var orders: [PersistentIdentifier: Int] = [:]
    var inserted: Set<PersistentIdentifier> = []
    var deleted: Set<PersistentIdentifier> = []

    func view(of store: [PersistentIdentifier: Values]) -> [PersistentIdentifier: Values] {
      var view = store
      for id in inserted { view[id] = Values(place: "", order: 0) }
      for (id, place) in places { view[id]?.place = place }
      for (id, order) in orders { view[id]?.order = order }
      for id in deleted { view[id] = nil }
      return view
    }

    mutating func clear() { self = Side(context: context) }

    /// What others deleted can not be changed here any more.
    mutating func forget(_ gone: Set<PersistentIdentifier>) {
      for id in gone {
        places[id] = nil
        orders[id] = nil
        deleted.remove(id)
      }
    }
  }

  @Test func `two contexts see what two dictionaries see`() async throws {
    var random = SeededGenerator.announced()
    try await withContainer { container in
      var store: [PersistentIdentifier: Values] = [:]
      var sides = [Side(context: ModelContext(container)), Side(context: ModelContext(container))]
      for step in 0..<1500 {
        let number = Int.random(in: 0..<2, using: &random)
        sides[number].context.processPendingChanges()
        let context = sides[number].context
        let view = sides[number].view(of: store)
        let id = view.keys.sorted().randomElement(using: &random)
        let value = Int.random(in: 0..<1000, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1, 2:
          let stop = Stop(place: "new \(value)", order: value)
          context.insert(stop)
          sides[number].inserted.insert(stop.id)
          sides[number].places[stop.id] = stop.place
          sides[number].orders[stop.id] = value
        case 3, 4:
          guard let id, let stop = context.model(for: id) as? Stop else { continue }
          stop.place = "a changed place with number \(value)"
          sides[number].places[id] = stop.place
        case 5:
          guard let id, let stop = context.model(for: id) as? Stop else { continue }
          stop.order = value
          sides[number].orders[id] = value
        case 6:
          guard let id, let stop = context.model(for: id) as? Stop else { continue }
          context.delete(stop)
          if sides[number].inserted.remove(id) != nil {
            sides[number].places[id] = nil
            sides[number].orders[id] = nil
          } else {
            sides[number].deleted.insert(id)
          }
        case 7, 8:
          try context.save()
          let gone = Set(store.keys).subtracting(view.keys)
          store = view
          sides[number].clear()
          sides[1 - number].forget(gone)
        default:
          context.rollback()
          sides[number].clear()
        }
        let expected = sides[number].view(of: store)
        let found = try context.fetch(FetchDescriptor<Stop>())
        #expect(
          Dictionary(uniqueKeysWithValues: found.map { ($0.id, Values(place: $0.place, order: $0.order)) }) == expected,
          "step \(step), seed \(random.seed)")
        let limit = value
        let few = FetchDescriptor<Stop>(predicate: #Predicate { $0.order < limit }, sortBy: [SortDescriptor(\.order)])
        #expect(try context.fetch(few).map(\.order) == expected.values.map(\.order).filter { $0 < limit }.sorted())
        #expect(context.hasChanges == (sides[number] != Side(context: context)))
      }
    }
  }
}
