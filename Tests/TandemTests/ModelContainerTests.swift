import Foundation
import Tandem
import Testing

@testable import RecordStore

struct ModelContainerTests {
  @Test func `identifiers survive coding, launches and text`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "a")
      let before = trip.persistentModelID
      context.insert(trip)
      try context.save()
      let identifier = trip.persistentModelID
      #expect(before == identifier)
      #expect(before.isTemporary && !identifier.isTemporary)
      let encoded = try JSONEncoder().encode(identifier)
      let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: encoded)
      #expect(decoded == identifier)
      #expect(decoded.storeIdentifier == identifier.storeIdentifier)
      #expect(decoded.entityName == "Trip")
      let again = try ModelContext(reopened(container)).model(for: decoded) as? Trip
      #expect(again?.code == "a")
      func named(_ key: some Comparable & CustomStringConvertible & Codable & Hashable) throws -> PersistentIdentifier {
        try PersistentIdentifier.identifier(for: "s", entityName: "Trip", primaryKey: key)
      }
      let digits = "\(identifier)".split(separator: "/").last.map(String.init) ?? ""
      #expect(try named(digits) == identifier)
      #expect(try named(7) == named("7") && named(7) != named(8))
      let uuid = UUID()
      #expect(try named(uuid) == named(uuid.uuidString.filter { $0 != "-" }))
      expectError(.invalidIdentifier) { try named("") }
    }
  }

  @Test func `the identifier of a record that is gone gives a deleted object`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "a")
      context.insert(trip)
      try context.save()
      let identifier = trip.persistentModelID
      context.delete(trip)
      try context.save()
      let ghost = try #require(ModelContext(container).model(for: identifier) as? Trip)
      #expect(ghost.isDeleted)
      #expect(ghost.code == "")
      #expect(ghost.stops == [])
    }
  }

  @Test func `a read-only container reads what others save and refuses to save`() async throws {
    try await withContainer { container in
      let writer = ModelContext(container)
      writer.insert(Trip(code: "a"))
      try writer.save()
      let reader = ModelContext(try reopened(container, allowsSave: false))
      #expect(try reader.fetchCount(FetchDescriptor<Trip>()) == 1)
      writer.insert(Trip(code: "b"))
      try writer.save()
      #expect(try reader.fetchCount(FetchDescriptor<Trip>()) == 2)
      reader.insert(Trip(code: "c"))
      expectError(.readOnly) { try reader.save() }
      #expect(reader.hasChanges)
    }
  }

  @Test func `a store in memory is its container's own`() throws {
    func container() throws -> ModelContainer {
      try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    let first = try container()
    let context = ModelContext(first)
    context.insert(Trip(code: "a"))
    try context.save()
    #expect(try ModelContext(first).fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(try ModelContext(container()).fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(try first.store.integrityViolations() == [])
  }

  @Test func `classes that relationships reach belong to the schema`() {
    let schema = Schema([Stop.self])
    #expect(String.list(schema.entities.map(\.name)) == "Booking Insurance Photo Stop Tag Trip")
    let trip = schema.entitiesByName["Trip"]
    #expect(trip?.relationshipsByName["stops"]?.inverseName == "trip")
    #expect(trip?.relationshipsByName["stops"]?.deleteRule == .cascade)
    #expect(trip?.uniquenessConstraints == [["code"]])
    #expect(schema.entitiesByName["Stop"]?.relationshipsByName["trip"]?.inverseName == "stops")
    #expect(schema.entitiesByName["Booking"]?.relationshipsByName["trip"]?.isOptional == false)
    #expect(Schema.entityName(for: Trip.self) == "Trip")
  }

  @Test func `a group's store lies in the group's folder below the container root`() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
    let configuration = ModelConfiguration(
      "Journal", groupContainer: .identifier("group.org.example"), containerRoot: root)
    #expect(configuration.url.path == root.path + "/group.org.example/Journal.store")
    #expect(configuration.groupAppContainerIdentifier == "group.org.example")
    ModelConfiguration.$containerRoot.withValue(root) {
      #expect(ModelConfiguration(groupContainer: .identifier("group.org.example")).url.path.hasPrefix(root.path))
      #expect(ModelConfiguration().url.lastPathComponent == "default.store")
      #expect(ModelConfiguration().url.deletingLastPathComponent().lastPathComponent != root.lastPathComponent)
    }
    let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
    let context = ModelContext(container)
    context.insert(Trip(code: "a"))
    try context.save()
    #expect(FileManager.default.fileExists(atPath: configuration.url.path))
  }

  @Test func `names that lead elsewhere are refused before any file is touched`() {
    let identifiers = ["../x", "group/../../x", "", "group", ".a.b", "a.b.", "a..b", "группа.b"]
    for identifier in identifiers {
      let configuration = ModelConfiguration(groupContainer: .identifier(identifier))
      expectError(.invalidIdentifier) { try configuration.validate() }
      expectError(.invalidIdentifier) { try ModelContainer(for: Schema([Trip.self]), configurations: [configuration]) }
    }
    for name in ["a/b", "", ".hidden", "a\\b"] {
      let configuration = ModelConfiguration(name, groupContainer: .identifier("group.org.example"))
      #expect { try configuration.validate() } throws: { error in
        SwiftDataError.configurationFileNameContainsInvalidCharacters ~= error
      }
    }
    #expect {
      try ModelConfiguration(String(repeating: "n", count: 200)).validate()
    } throws: { error in
      SwiftDataError.configurationFileNameTooLong ~= error
    }
  }

  @Test func `several configurations hold each their own classes`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let trips = ModelConfiguration("trips", schema: Schema([Trip.self]), url: folder.appending(path: "trips.store"))
    let rest = ModelConfiguration("rest", url: folder.appending(path: "rest.store"))
    let container = try ModelContainer(for: Schema([Trip.self, Album.self]), configurations: trips, rest)
    let context = ModelContext(container)
    context.insert(Trip(code: "a"))
    context.insert(Album(title: "b"))
    try context.save()
    let other = ModelContext(container)
    let trip = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    let album = try #require(try other.fetch(FetchDescriptor<Album>()).first)
    #expect(trip.persistentModelID.storeIdentifier != album.persistentModelID.storeIdentifier)
    for name in ["trips", "rest"] { #expect(try container.store(named: name)?.integrityViolations() == []) }

    #expect {
      try ModelContainer(for: Schema([Trip.self, Album.self]), configurations: trips)
    } throws: { error in
      SwiftDataError.configurationSchemaNotFoundInContainerSchema ~= error
    }
    #expect { try ModelContainer(for: Schema([Trip.self]), configurations: rest, rest) } throws: { error in
      SwiftDataError.duplicateConfiguration ~= error
    }
  }

  @Test func `a class outside the schema is an error, not a trap`() async throws {
    try await withContainer(for: [Album.self]) { container in
      let context = ModelContext(container)
      #expect { try context.fetch(FetchDescriptor<Trip>()) } throws: { SwiftDataError.unknownSchema ~= $0 }
      context.insert(Trip(code: "a"))
      #expect { try context.save() } throws: { SwiftDataError.unknownSchema ~= $0 }
      try context.save()
    }
  }

  @Test func `the main context is one, and lives with its container`() async throws {
    try await withContainer { container in
      try await MainActor.run {
        container.mainContext.insert(Trip(code: "a"))
        #expect(container.mainContext.hasChanges)
        try container.mainContext.save()
        #expect(container.mainContext.container == container)
      }
    }
  }

  @Test func `the main context takes what others save by itself`() async throws {
    try await withContainer { container in
      let writer = ModelContext(container)
      let trip = Trip(code: "a", name: "old")
      writer.insert(trip)
      try writer.save()
      let identifier = trip.persistentModelID
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        Task { @MainActor in
          let here = container.mainContext.model(for: identifier) as? Trip
          withObservationTracking {
            _ = here?.name
          } onChange: {
            continuation.resume()
          }
          let other = ModelContext(container)
          (other.model(for: identifier) as? Trip)?.name = "new"
          do { try other.save() } catch { Issue.record(error) }
        }
      }
      await MainActor.run {
        container.mainContext.processPendingChanges()
        #expect((container.mainContext.model(for: identifier) as? Trip)?.name == "new")
      }
    }
  }

  @Test func `changes tell of every commit, with identifiers and author`() async throws {
    try await withContainer { container in
      var changes = container.changes.makeAsyncIterator()
      let context = ModelContext(container)
      context.author = "ann"
      let trip = Trip(code: "a")
      trip.stops = [Stop(place: "x")]
      context.insert(trip)
      try context.save()
      trip.name = "b"
      try context.save()
      context.delete(trip)
      try context.save()
      let first = try #require(try await changes.next())
      #expect(Set(first.inserted.map(\.entityName)) == ["Trip", "Stop"])
      #expect(first.author == "ann")
      #expect(first.origin == .thisProcess)
      let second = try #require(try await changes.next())
      #expect(second.updated == [trip.persistentModelID])
      let third = try #require(try await changes.next())
      #expect(Set(third.deleted.map(\.entityName)) == ["Trip", "Stop"])
      #expect(first.number < second.number && second.number < third.number)
    }
  }

  @Test func `changes end where a store is erased, and those asked for anew tell what comes after it`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      context.insert(Trip(code: "a"))
      try context.save()
      var changes = container.changes.makeAsyncIterator()
      try container.erase()
      await #expect { _ = try await changes.next() } throws: { SwiftDataError.historyTokenExpired ~= $0 }
      changes = container.changes.makeAsyncIterator()
      let trip = Trip(code: "b")
      context.insert(trip)
      try context.save()
      #expect(try await changes.next()?.inserted == [trip.persistentModelID])
    }
  }

  @Test func `erasing empties the store under every context`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "a")
      context.insert(trip)
      try context.save()
      try container.erase()
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
      context.processPendingChanges()
      #expect(trip.isDeleted)
      context.insert(Trip(code: "b"))
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }
  }
}
