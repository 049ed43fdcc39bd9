import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

@Model private class Kayak {
  var name: String
  var harbours: [Harbour] = []
  init(name: String) { self.name = name }
}

@Model private final class Cutter: Kayak {
  @Relationship(inverse: \Route.cutters) var routes: [Route] = []
  override init(name: String) { super.init(name: name) }
}

@Model private final class Harbour {
  @Relationship(inverse: \Kayak.harbours) var kayaks: [Kayak] = []
  init() {}
}

@Model private final class Route {
  var cutters: [Cutter] = []
  init() {}
}

@Model private final class Swimmer {
  var followers: [Swimmer] = []
  @Relationship(inverse: \Swimmer.followers) var followed: [Swimmer] = []
  init() {}
}

/// Links of many-to-many relationships lie in records of their own; history tells of them at the objects on both ends.
struct LinkHistoryTests {
  private func last(_ context: ModelContext) throws -> DefaultHistoryTransaction {
    try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
  }

  /// Kind, object and properties of each change, in order.
  private func told(_ transaction: DefaultHistoryTransaction, _ names: [PersistentIdentifier: String]) -> [String] {
    transaction.changes.map { change in
      let name = names[change.changedPersistentIdentifier] ?? "?"
      return switch change {
      case .insert: "+ \(name)"
      case .delete: "- \(name)"
      case .update(let update as DefaultHistoryUpdate<Trip>):
        "\(name)" + (update.containsAttribute(\.tags) ? " tags" : "")
          + (update.containsAttribute(\.name) ? " name" : "")
          + " \(update.updatedAttributes.count)"
      case .update(let update as DefaultHistoryUpdate<Tag>):
        "\(name)" + (update.containsAttribute(\.trips) ? " trips" : "") + " \(update.updatedAttributes.count)"
      case .update: "another class"
      }
    }.sorted()
  }

  private func withTrips(
    _ body: (_ context: ModelContext, _ trips: [Trip], _ tags: [Tag], _ names: [PersistentIdentifier: String])
      async throws -> Void
  ) async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let (trips, tags) = ((0..<2).map { Trip(code: "\($0)") }, (0..<3).map { Tag(name: "\($0)") })
      for trip in trips { context.insert(trip) }
      for tag in tags { context.insert(tag) }
      try context.save()
      var names: [PersistentIdentifier: String] = [:]
      for trip in trips { names[trip.persistentModelID] = "Trip \(trip.code)" }
      for tag in tags { names[tag.persistentModelID] = "Tag \(tag.name)" }
      try await body(context, trips, tags, names)
    }
  }

  @Test func `a link that comes or goes is an update of both ends, each once a transaction`() async throws {
    try await withTrips { context, trips, tags, names in
      trips[0].tags = [tags[0], tags[1]]
      try context.save()
      #expect(told(try last(context), names) == ["Tag 0 trips 1", "Tag 1 trips 1", "Trip 0 tags 1"])
      tags[1].trips.append(trips[1])
      trips[0].tags = [tags[0]]
      try context.save()
      let transaction = try last(context)
      #expect(told(transaction, names) == ["Tag 1 trips 1", "Trip 0 tags 1", "Trip 1 tags 1"])
      let numbers = try transaction.changes.map { change -> Int64 in
        guard case .update(let update) = change else { throw MissingUpdate() }
        return try #require(update.changeIdentifier as? Int64)
      }
      #expect(Set(numbers).count == 3)
    }
  }

  private struct MissingUpdate: Error {}

  @Test func `a link is told with what else changed, and not of objects that come or go in the same transaction`()
    async throws
  {
    try await withTrips { context, trips, tags, names in
      let made = Tag(name: "made")
      context.insert(made)
      trips[0].tags = [tags[0], made]
      trips[0].name = "new"
      try context.save()
      var names = names
      names[made.persistentModelID] = "Tag made"
      #expect(told(try last(context), names) == ["+ Tag made", "Tag 0 trips 1", "Trip 0 tags name 2"])
      context.delete(made)
      try context.save()
      #expect(told(try last(context), names) == ["- Tag made", "Trip 0 tags 1"])
    }
  }

  @Test func `changes of a container name both ends of a link, also of an earlier one`() async throws {
    try await withTrips { context, trips, tags, _ in
      var changes = context.container.changes.makeAsyncIterator()
      trips[0].tags = [tags[0]]
      trips[0].name = "new"
      try context.save()
      let linked = try #require(try await changes.next())
      #expect(Set(linked.updated) == [trips[0].persistentModelID, tags[0].persistentModelID])
      #expect(linked.updated.count == 2 && linked.inserted.isEmpty && linked.deleted.isEmpty)
      let gone = tags[0].persistentModelID
      context.delete(tags[0])
      try context.save()
      let unlinked = try #require(try await changes.next())
      #expect(unlinked.updated == [trips[0].persistentModelID] && unlinked.deleted == [gone])
    }
  }

  @Test func `an observer of history counts a save that changed links alone, of the classes at its ends`() async throws
  {
    try await withTrips { context, trips, tags, _ in
      let container = context.container
      let observers = try [[Trip.self], [Tag.self], [Stop.self]].map { (models: [any PersistentModel.Type]) in
        try HistoryObserver(observedModels: models, modelContainer: container, isolation: nil)
      }
      trips[0].tags = [tags[0]]
      try context.save()
      #expect(observers.map(\.eventCounter) == [1, 1, 0])
    }
  }

  @Test func `a predicate finds the transactions that changed the links of an object, and they can be deleted`()
    async throws
  {
    try await withTrips { context, trips, tags, _ in
      trips[0].tags = [tags[0]]
      try context.save()
      trips[1].tags = [tags[0]]
      try context.save()
      let id = trips[0].persistentModelID
      let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.changes.contains { $0.changedPersistentIdentifier == id } })
      #expect(try context.fetchHistory(descriptor).map(\.id) == [1, 2])
      try context.deleteHistory(descriptor)
      #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.id) == [3])
    }
  }

  @Test func `a merge tells of the links that it brought, at the objects that a unique value made one`() async throws {
    try await withContainers(2, for: tripTypes) { containers in
      let (first, second) = (ModelContext(containers[0]), ModelContext(containers[1]))
      let here = Tag(name: "same")
      first.insert(here)
      try first.save()
      let (trip, there) = (Trip(code: "1"), Tag(name: "same"))
      second.insert(trip)
      second.insert(there)
      try second.save()
      try merge(containers[1], into: containers[0])
      trip.tags = [there]
      try second.save()
      try merge(containers[1], into: containers[0])
      let (tag, arrived) = (
        try #require(try first.fetch(FetchDescriptor<Tag>()).first),
        try #require(try first.fetch(FetchDescriptor<Trip>()).first)
      )
      let transaction = try last(first)
      #expect(transaction.mergedReplica != nil)
      #expect(
        told(transaction, [tag.persistentModelID: "Tag", arrived.persistentModelID: "Trip"])
          == ["Tag trips 1", "Trip tags 1"])
    }
  }

  @Test func `an end is of its own class, and a relationship of a class below is told as one of it`() async throws {
    try await withContainer(for: [Kayak.self, Cutter.self, Harbour.self, Route.self]) { container in
      let context = ModelContext(container)
      let (kayak, cutter, harbour, route) = (Kayak(name: "a"), Cutter(name: "b"), Harbour(), Route())
      for model in [kayak, cutter, harbour, route] as [any PersistentModel] { context.insert(model) }
      try context.save()
      harbour.kayaks = [kayak, cutter]
      cutter.routes = [route]
      try context.save()
      let changes = try last(context).changes
      let names = changes.map(\.changedPersistentIdentifier.entityName).sorted()
      #expect(names == ["Cutter", "Harbour", "Kayak", "Route"])
      let updates = changes.compactMap { change in
        if case .update(let update as DefaultHistoryUpdate<Cutter>) = change { update } else { nil }
      }
      #expect(updates.first?.containsAttribute(\.routes) == true)
      #expect(updates.first?.updatedAttributes.count == 2)
    }
  }

  @Test func `a relationship of a class to itself is told by the side that changed on each end`() async throws {
    try await withContainer(for: [Swimmer.self]) { container in
      let context = ModelContext(container)
      let (fan, star) = (Swimmer(), Swimmer())
      context.insert(fan)
      context.insert(star)
      try context.save()
      fan.followed = [star]
      try context.save()
      var sides: [PersistentIdentifier: [Bool]] = [:]
      for change in try last(context).changes {
        guard case .update(let update as DefaultHistoryUpdate<Swimmer>) = change else { continue }
        sides[update.changedPersistentIdentifier] = [
          update.containsAttribute(\.followed), update.containsAttribute(\.followers),
        ]
      }
      #expect(sides == [fan.persistentModelID: [true, false], star.persistentModelID: [false, true]])
      fan.followed = [fan]
      try context.save()
      let own = try last(context).changes.compactMap { change in
        if case .update(let update as DefaultHistoryUpdate<Swimmer>) = change { update } else { nil }
      }.first { $0.changedPersistentIdentifier == fan.persistentModelID }
      #expect(own?.updatedAttributes.count == 2)
    }
  }

  @Test func `a link between objects that are gone since is told as long as the store knows of it`() async throws {
    try await withTrips { context, trips, tags, names in
      trips[0].tags = [tags[0]]
      try context.save()
      context.delete(trips[0])
      context.delete(tags[0])
      try context.save()
      let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(told(transactions[1], names) == ["Tag 0 trips 1", "Trip 0 tags 1"])
      #expect(told(transactions[2], names) == ["- Tag 0", "- Trip 0"])
    }
  }
}
