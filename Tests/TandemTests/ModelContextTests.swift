import Foundation
import Tandem
import Testing

struct ModelContextTests {
  @Test func `each context has an editing state of its own, with a random id of version 4`() async throws {
    try await withContainer { container in
      let ids = (0..<500).map { _ in ModelContext(container).editingState.id }
      #expect(Set(ids).count == ids.count)
      for id in ids {
        #expect(id.uuid.6 >> 4 == 4)
        #expect(id.uuid.8 >> 6 == 0b10)
      }
      // Of 256 values 500 draws miss some 36.
      for byte in [ids.map(\.uuid.0), ids.map(\.uuid.7), ids.map(\.uuid.15)] { #expect(Set(byte).count > 150) }
    }
  }

  @Test func `an inserted object is found after the save, by another context too`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "L1", name: "Lviv", price: 12)
      context.insert(trip)
      #expect(context.hasChanges)
      #expect(trip.persistentModelID.isTemporary)
      try context.save()
      #expect(!context.hasChanges)
      #expect(!trip.hasChanges)
      #expect(!trip.persistentModelID.isTemporary)
      #expect(try context.fetch(FetchDescriptor<Trip>()) == [trip])

      let other = ModelContext(container)
      let found = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
      #expect(found.name == "Lviv")
      #expect(found.price == 12)
      #expect(found == trip)
      #expect(found !== trip)
    }
  }

  @Test func `a record is one object in a context`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      context.insert(Trip(code: "a"))
      try context.save()
      let reading = ModelContext(container)
      let first = try #require(try reading.fetch(FetchDescriptor<Trip>()).first)
      let second = try #require(try reading.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)])).first)
      #expect(first === second)
      #expect(reading.model(for: first.persistentModelID) === first)
      let registered: Trip? = reading.registeredModel(for: first.persistentModelID)
      #expect(registered === first)
    }
  }

  @Test func `the cases of an enumeration are read right again and again, set ones and nil too`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      for season in [Season.autumn, .winter, .spring, .autumn] {
        let everything = Everything()
        everything.season = season
        everything.optionalSeason = season == .winter ? nil : season
        context.insert(everything)
      }
      try context.save()
      for _ in 1...3 {
        let found = try ModelContext(container).fetch(FetchDescriptor<Everything>())
        #expect(found.map(\.season) == [.autumn, .winter, .spring, .autumn])
        #expect(found.map(\.optionalSeason) == [.autumn, nil, .spring, .autumn])
        #expect(found.map(\.season) == [.autumn, .winter, .spring, .autumn])
        found[0].season = .summer
        found[1].optionalSeason = .winter
        #expect(found.map(\.season) == [.summer, .winter, .spring, .autumn])
        #expect(found.map(\.optionalSeason) == [.autumn, .winter, .spring, .autumn])
      }
    }
  }

  @Test func `every type of attribute comes back as it was saved`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      context.insert(Everything())
      let changed = Everything()
      changed.optionalInt = 7
      changed.optionalString = nil
      changed.optionalSeason = .spring
      changed.optionalAddress = Address(street: "s", number: 2)
      changed.optionalDecimal = nil
      changed.numbers = []
      context.insert(changed)
      try context.save()
      let reading = ModelContext(container)
      let found = try reading.fetch(FetchDescriptor<Everything>())
      let expected = [Everything(), changed]
      #expect(found.count == 2)
      for (left, right) in zip(found, expected) {
        #expect(left.bool == right.bool && left.int == right.int && left.int8 == right.int8)
        #expect(left.int16 == right.int16 && left.int32 == right.int32 && left.int64 == right.int64)
        #expect(left.uint == right.uint && left.uint8 == right.uint8 && left.uint64 == right.uint64)
        #expect(left.float == right.float && left.double == right.double && left.decimal == right.decimal)
        #expect(left.string == right.string && left.short == right.short && left.date == right.date)
        #expect(left.uuid == right.uuid && left.data == right.data && left.url == right.url)
        #expect(left.season == right.season && left.level == right.level && left.address == right.address)
        #expect(left.numbers == right.numbers && left.words == right.words)
        #expect(left.optionalInt == right.optionalInt && left.optionalString == right.optionalString)
        #expect(left.optionalSeason == right.optionalSeason && left.optionalAddress == right.optionalAddress)
        #expect(left.optionalDecimal == right.optionalDecimal)
        // A second read gives the kept value.
        #expect(left.string == right.string && left.address == right.address)
      }
    }
  }

  @Test func `two contexts that change different properties of one object both keep their change`() async throws {
    try await withContainer { container in
      let first = ModelContext(container)
      first.insert(Trip(code: "a", name: "old", price: 1))
      try first.save()
      let second = ModelContext(container)
      let here = try #require(try first.fetch(FetchDescriptor<Trip>()).first)
      let there = try #require(try second.fetch(FetchDescriptor<Trip>()).first)
      here.name = "new"
      there.price = 2
      try first.save()
      try second.save()
      #expect(there.price == 2)
      second.processPendingChanges()
      #expect(there.name == "new")
      #expect(try first.fetch(FetchDescriptor<Trip>()).map(\.price) == [2])
      #expect(here.name == "new")
    }
  }

  @Test func `an unmodified object takes what another context saved, a modified one keeps its own value`() async throws
  {
    try await withContainer { container in
      let first = ModelContext(container)
      first.insert(Trip(code: "a", name: "a", price: 1))
      first.insert(Trip(code: "b", name: "b", price: 1))
      try first.save()
      let second = ModelContext(container)
      let order = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)])
      let trips = try second.fetch(order)
      trips[1].name = "mine"
      for trip in try first.fetch(order) {
        trip.name = "theirs"
        trip.price = 5
      }
      try first.save()
      second.processPendingChanges()
      #expect(trips.map(\.name) == ["theirs", "mine"])
      #expect(trips.map(\.price) == [5, 5])
      second.rollback()
      #expect(trips.map(\.name) == ["theirs", "theirs"])
    }
  }

  @Test func `an object that another context deleted is deleted and keeps its last values`() async throws {
    try await withContainer { container in
      let first = ModelContext(container)
      let trip = Trip(code: "a", name: "gone")
      trip.stops = [Stop(place: "x")]
      first.insert(trip)
      try first.save()
      let second = ModelContext(container)
      let there = try #require(try second.fetch(FetchDescriptor<Trip>()).first)
      let stop = try #require(there.stops.first)
      first.delete(trip)
      #expect(trip.isDeleted)
      try first.save()
      #expect(trip.isDeleted)
      #expect(trip.name == "gone")
      second.processPendingChanges()
      #expect(there.isDeleted)
      #expect(there.name == "gone")
      #expect(stop.isDeleted)
      #expect(stop.place == "x")
      #expect(stop.trip == nil)
      there.name = "still no trap"
      #expect(!second.hasChanges)
      #expect(try second.fetchCount(FetchDescriptor<Trip>()) == 0)
    }
  }

  @Test func `rollback takes back sets, inserts, deletes and links`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let kept = Trip(code: "kept", name: "before")
      let stop = Stop(place: "p")
      kept.stops = [stop]
      context.insert(kept)
      try context.save()

      kept.name = "after"
      let new = Trip(code: "new")
      context.insert(new)
      stop.trip = new
      let extra = Stop(place: "extra", trip: kept)
      #expect(context.insertedModelsArray.count == 2)
      context.delete(stop)
      context.rollback()

      #expect(!context.hasChanges)
      #expect(kept.name == "before")
      #expect(kept.stops == [stop])
      #expect(stop.trip === kept)
      #expect(!stop.isDeleted)
      #expect(new.modelContext == nil)
      #expect(extra.modelContext == nil)
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
      #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 1)

      // A value that was saved from memory, without ever being read, comes back too.
      kept.name = "second"
      context.rollback()
      #expect(kept.name == "before")
    }
  }

  @Test func `a save that throws leaves everything pending`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "a")
      let booking = Booking(number: 1, trip: trip)
      context.insert(booking)
      try context.save()
      trip.name = "changed"
      context.delete(trip)
      expectError(.deleteDenied) { try context.save() }
      #expect(context.hasChanges)
      #expect(context.deletedModelsArray.count == 1)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name) == [""])
      context.delete(booking)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
    }
  }

  @Test func `a unique value that exists already changes the existing object`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let first = Trip(code: "a", name: "one")
      first.stops = [Stop(place: "old")]
      context.insert(first)
      try context.save()
      let second = Trip(code: "a", name: "two")
      second.stops = [Stop(place: "new")]
      context.insert(second)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
      #expect(first.name == "two")
      #expect(second == first)
      #expect(second.persistentModelID == first.persistentModelID)
      #expect(String.list(first.stops.map(\.place)) == "new old")
      // Both objects stand for the record from now on.
      second.name = "three"
      #expect(first.name == "three")
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name) == ["three"])
    }
  }

  @Test func `a configuration that forbids upserts throws on a taken unique value`() async throws {
    try await withContainer(configure: { $0.uniqueness = .throw }) { container in
      let context = ModelContext(container)
      context.insert(Trip(code: "a"))
      try context.save()
      context.insert(Trip(code: "a"))
      expectError(.uniquenessViolation) { try context.save() }
      #expect(context.insertedModelsArray.count == 1)
    }
  }

  @Test func `a unique value that a delete of the same save frees can be used by an insert`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let old = Trip(code: "a", name: "old")
      context.insert(old)
      try context.save()
      context.delete(old)
      let new = Trip(code: "a", name: "new")
      context.insert(new)
      try context.save()
      #expect(old.isDeleted)
      #expect(new != old)
      #expect(try context.fetch(FetchDescriptor<Trip>()) == [new])
    }
  }

  @Test func `an object that was never saved leaves when it is deleted, and can come back`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "a")
      context.insert(trip)
      context.delete(trip)
      #expect(!context.hasChanges)
      #expect(trip.isDeleted)
      context.insert(trip)
      #expect(!trip.isDeleted)
      try context.save()
      context.delete(trip)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
      context.insert(trip)
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.code) == ["a"])
    }
  }

  @Test func `delete(model:where:) deletes what the predicate says, unsaved objects too`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      for number in 0..<10 { context.insert(Stop(place: "p", order: number)) }
      try context.save()
      context.insert(Stop(place: "p", order: 3))
      try context.delete(model: Stop.self, where: #Predicate { $0.order < 4 })
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Stop>()).map(\.order).sorted() == [4, 5, 6, 7, 8, 9])
    }
  }

  @Test func `enumerate and batches give every object once`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      for number in 0..<100 { context.insert(Stop(place: "p", order: number)) }
      try context.save()
      let reading = ModelContext(container)
      let order = FetchDescriptor<Stop>(sortBy: [SortDescriptor(\.order)])
      var seen: [Int] = []
      try reading.enumerate(order, batchSize: 7) { seen.append($0.order) }
      #expect(seen == Array(0..<100))
      let batches = try reading.fetch(order, batchSize: 9)
      #expect(batches.count == 100)
      #expect(batches.map(\.order) == Array(0..<100))
      #expect(try reading.fetchIdentifiers(order) == reading.fetch(order).map(\.persistentModelID))
      reading.insert(Stop(place: "new"))
      expectError(.includePendingChangesWithBatchSize) { try reading.fetch(order, batchSize: 9) }
    }
  }

  @Test func `an object outlives its context and can still be followed`() async throws {
    try await withContainer { container in
      func fetched() throws -> Trip {
        let context = ModelContext(container)
        return try #require(try context.fetch(FetchDescriptor<Trip>()).first)
      }
      let context = ModelContext(container)
      let trip = Trip(code: "a", name: "n")
      trip.stops = [Stop(place: "x"), Stop(place: "y")]
      context.insert(trip)
      try context.save()
      let found = try fetched()
      #expect(found.modelContext == nil)
      #expect(found.name == "n")
      #expect(String.list(found.stops.map(\.place)) == "x y")
      #expect(found.stops.first?.trip == found)
    }
  }

  @Test func `contexts and objects are freed`() async throws {
    try await withContainer { container in
      weak var freedContext: ModelContext?
      weak var freedTrip: Trip?
      do {
        let context = ModelContext(container)
        let trip = Trip(code: "a")
        trip.stops = [Stop(place: "x")]
        context.insert(trip)
        try context.save()
        #expect(trip.stops.first?.trip === trip)
        trip.name = "unsaved"
        freedContext = context
        freedTrip = trip
      }
      #expect(freedContext == nil)
      #expect(freedTrip == nil)
    }
  }

  /// They were listed, written and reported as often as they had come or gone.
  @Test func `an object that comes and goes more than once is listed and saved once`() async throws {
    try await withContainer(for: tripTypes + [Page.self]) { container in
      let context = ModelContext(container)
      nonisolated(unsafe) var counts: [[Int]] = []
      let token = NotificationCenter.default.addObserver(
        forName: ModelContext.didSave, object: context, queue: nil
      ) { notification in
        counts.append(
          ["inserted", "updated", "deleted"].map {
            (notification.userInfo?[$0] as? [PersistentIdentifier])?.count ?? -1
          })
      }
      defer { NotificationCenter.default.removeObserver(token) }
      // One class without relationships, and one with.
      let objects: [any PersistentModel] = [Everything(), Stop(place: "a")]
      func insert() { for object in objects { context.insert(object) } }
      func delete() { for object in objects { context.delete(object) } }
      insert()
      delete()
      insert()
      #expect(context.insertedModelsArray.count == 2 && context.deletedModelsArray.isEmpty)
      try context.save()
      delete()
      insert()
      #expect(!context.hasChanges && context.deletedModelsArray.isEmpty)
      delete()
      #expect(context.deletedModelsArray.count == 2 && context.insertedModelsArray.isEmpty)
      try context.save()
      #expect(counts == [[2, 0, 0], [0, 0, 2]])
      insert()
      delete()
      insert()
      #expect(context.insertedModelsArray.count == 2)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Stop>()) == 1)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Everything>()) == 1)
    }
  }

  @Test func `notifications carry the identifiers of a save`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      nonisolated(unsafe) var inserted: [PersistentIdentifier] = []
      nonisolated(unsafe) var events: [String] = []
      let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { notification in
          events.append(name.rawValue)
          let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
          inserted += notification.userInfo?[key] as? [PersistentIdentifier] ?? []
        }
      }
      defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
      let trip = Trip(code: "a")
      context.insert(trip)
      try context.save()
      try context.save()
      #expect(events == ["ModelContext.willSave", "ModelContext.didSave"])
      #expect(inserted == [trip.persistentModelID])
    }
  }
}
