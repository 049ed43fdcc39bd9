import SwiftData
import Testing

@MainActor
@Suite(.serialized) struct DataStoreTests {
  private let types: [any PersistentModel.Type] = [Trip.self, Stop.self, Traveler.self, Passport.self]

  private func withFile(_ body: (JSONStoreConfiguration) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "trips-\(UUID().uuidString).json")
    try body(JSONStoreConfiguration(name: "json", schema: Schema(types), fileURL: file))
    if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
  }

  private func trip(_ code: String, _ day: Int) -> Trip {
    Trip(code: code, name: "Trip \(code)", destination: day % 2 == 0 ? "Lviv" : "Kyiv", start: .day(day))
  }

  @Test func `objects live in a file of the app's own`() throws {
    try withFile { configuration in
      let container = try ModelContainer(for: Schema(types), configurations: [configuration])
      let context = container.mainContext
      let trips = (1...4).map { trip("A\($0)", $0) }
      for trip in trips { context.insert(trip) }
      trips[0].stops = [Stop(place: "Market", order: 1), Stop(place: "Bridge", order: 2)]
      trips[0].weather = Weather(degrees: 1.5, isDry: true)
      trips[0].tags = ["x"]
      let olena = Traveler(email: "o@example.com", firstName: "Olena")
      trips[1].lead = olena
      trips[2].companions = [olena]
      trips[3].companions = [olena]
      try context.save()
      #expect(JSONStore.last?.log == ["hello", "save 7 0 0"])
      #expect(!context.hasChanges && !trips[0].persistentModelID.isTemporary)
      #expect(trips[0].persistentModelID.storeIdentifier == configuration.fileURL.lastPathComponent)
      let text = try String(contentsOf: configuration.fileURL, encoding: .utf8)
      #expect(text.contains("\"Market\"") && text.contains("2001-01-02T00:00:00Z"))

      // Another launch.
      let again = try ModelContainer(for: Schema(types), configurations: [configuration]).mainContext
      let found = try again.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
      #expect(found.map(\.code) == ["A1", "A2", "A3", "A4"])
      #expect(found.map(\.persistentModelID) == trips.map(\.persistentModelID))
      #expect(found[0].stops.map(\.place).sorted() == ["Bridge", "Market"])
      #expect(found[0].weather == Weather(degrees: 1.5, isDry: true) && found[0].tags == ["x"] && found[0].end == nil)
      #expect(found[1].lead?.firstName == "Olena" && found[1].lead?.trips.count == 2)
      #expect(again.model(for: olena.persistentModelID).modelContext === again)
    }
  }

  @Test func `what the store does not filter or sort the context does, unsaved changes included`() throws {
    try withFile { configuration in
      let context = try ModelContainer(for: Schema(types), configurations: [configuration]).mainContext
      for number in 1...6 { context.insert(trip("A\(number)", number)) }
      try context.save()
      var descriptor = FetchDescriptor<Trip>(
        predicate: #Predicate { $0.destination == "Lviv" }, sortBy: [SortDescriptor(\.code, order: .reverse)])
      #expect(try context.fetch(descriptor).map(\.code) == ["A6", "A4", "A2"])
      descriptor.fetchLimit = 1
      descriptor.fetchOffset = 1
      #expect(try context.fetch(descriptor).map(\.code) == ["A4"])
      #expect(try context.fetchCount(descriptor) == 1 && context.fetchIdentifiers(descriptor).count == 1)
      descriptor.fetchLimit = nil
      descriptor.fetchOffset = nil
      let all = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
      all[0].destination = "Lviv"
      context.delete(all[3])
      context.insert(trip("A0", 0))
      #expect(try context.fetch(descriptor).map(\.code) == ["A6", "A2", "A1", "A0"])
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 6)
      try context.save()
      #expect(try context.fetch(descriptor).map(\.code) == ["A6", "A2", "A1", "A0"])
    }
  }

  @Test func `changes and delete rules reach the store as whole objects`() throws {
    try withFile { configuration in
      let container = try ModelContainer(for: Schema(types), configurations: [configuration])
      let context = container.mainContext
      let first = trip("A1", 1)
      context.insert(first)
      first.stops = [Stop(place: "Market", order: 1), Stop(place: "Bridge", order: 2)]
      let olena = Traveler(email: "o@example.com", firstName: "Olena")
      first.companions = [olena]
      try context.save()
      first.name = "New"
      try context.save()
      #expect(JSONStore.last?.log.last == "save 0 1 0")
      let second = ModelContext(container)
      #expect(try second.fetch(FetchDescriptor<Trip>()).map(\.name) == ["New"])
      context.delete(first)
      try context.save()
      // The stops go by the rule; the companion loses the trip.
      #expect(JSONStore.last?.log.last?.hasSuffix(" 3") == true)
      #expect(try JSONStore.last?.read().keys.map(\.entityName) == ["Traveler"])
      #expect(try second.fetchCount(FetchDescriptor<Stop>()) == 0)
      #expect(try second.fetch(FetchDescriptor<Traveler>()).first?.trips.isEmpty == true)
    }
  }

  @Test func `a save that the store refuses leaves everything pending`() throws {
    try withFile { configuration in
      let container = try ModelContainer(for: Schema(types), configurations: [configuration])
      let context = container.mainContext
      let first = trip("A1", 1)
      context.insert(first)
      try context.save()
      // A folder in the place of the file.
      try FileManager.default.removeItem(at: configuration.fileURL)
      try FileManager.default.createDirectory(at: configuration.fileURL, withIntermediateDirectories: false)
      first.name = "New"
      #expect(throws: CocoaError.self) { try context.save() }
      #expect(context.hasChanges && first.name == "New")
      try FileManager.default.removeItem(at: configuration.fileURL)
      try context.save()
      #expect(try JSONStore.last?.read().count == 1)
    }
  }

  @Test func `a store of an app's own stands beside the default one`() throws {
    try withFile { configuration in
      var json = configuration
      json.schema = Schema([Passport.self])
      let own = ModelConfiguration("beside", schema: Schema([Note.self]), isStoredInMemoryOnly: true)
      let container = try ModelContainer(for: Schema([Passport.self, Note.self]), configurations: [json, own])
      let context = container.mainContext
      context.insert(Passport(number: "X1"))
      context.insert(Note(text: "n"))
      try context.save()
      #expect(try JSONStore.last?.read().count == 1)
      #expect(try context.fetch(FetchDescriptor<Note>()).map(\.text) == ["n"])
      #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
      #expect(container.configurations.map(\.name) == ["beside"])
      try container.erase()
      #expect(try context.fetchCount(FetchDescriptor<Passport>()) == 0)
      #expect(try JSONStore.last?.read().isEmpty == true)
    }
  }

  @Test func `contexts are told to the store`() throws {
    try withFile { configuration in
      let container = try ModelContainer(for: Schema(types), configurations: [configuration])
      do {
        let context = ModelContext(container)
        _ = try context.fetch(FetchDescriptor<Passport>())
      }
      #expect(JSONStore.last?.log == ["hello", "fetch Passport", "goodbye"])
    }
  }

  @Test func `the default store works with snapshots`() throws {
    let store = try DefaultStore(
      ModelConfiguration(schema: Schema([Passport.self]), isStoredInMemoryOnly: true), migrationPlan: nil)
    let scratch = try ModelContainer(
      for: Passport.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    ).mainContext
    let passport = Passport(number: "X1")
    scratch.insert(passport)
    var related: [PersistentIdentifier: any BackingData] = [:]
    let state = scratch.editingState
    func snapshot() -> DefaultSnapshot {
      DefaultSnapshot(from: passport.persistentBackingData, relatedBackingDatas: &related)
    }
    let saved = try store.save(
      DataStoreSaveChangesRequest(inserted: [snapshot()], updated: [], deleted: [], editingState: state))
    #expect(saved.storeIdentifier == store.identifier && saved.historyToken != nil)
    let id = try #require(saved.remappedIdentifiers[passport.persistentModelID])
    passport.number = "X2"
    _ = try store.save(
      DataStoreSaveChangesRequest(
        inserted: [], updated: [snapshot().copy(persistentIdentifier: id)], deleted: [], editingState: state))
    let request = DataStoreFetchRequest(
      descriptor: FetchDescriptor<Passport>(predicate: #Predicate { $0.number == "X2" }), editingState: state)
    #expect(try store.fetch(request).fetchedSnapshots.map(\.persistentIdentifier) == [id])
    #expect(try store.fetchHistory(HistoryDescriptor()).count == 2)
    try store.delete(DataStoreBatchDeleteRequest<Passport>(editingState: state))
    #expect(try store.fetchCount(request) == 0 && store.fetchIdentifiers(request).isEmpty)
  }

  @Test func `a store says only how it reads and writes`() throws {
    let configuration = ShelfConfiguration(name: "shelf", schema: Schema(types))
    let container = try ModelContainer(for: Schema(types), configurations: [configuration])
    let context = ModelContext(container)
    for day in 1...3 { context.insert(trip("S\(day)", day)) }
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 3)
    #expect(try other.fetchIdentifiers(FetchDescriptor<Trip>()).count == 3)
    let lviv = #Predicate<Trip> { $0.destination == "Lviv" }
    #expect(try other.fetch(FetchDescriptor(predicate: lviv)).map(\.code) == ["S2"])
    let store = try ShelfStore(configuration, migrationPlan: nil)
    #expect(try store.cachedSnapshots(for: [], editingState: context.editingState).isEmpty)
    #expect(throws: DataStoreError.unsupportedFeature) { try container.erase() }
    #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 3)
  }
}

@Model
final class Note {
  var text: String
  init(text: String) { self.text = text }
}
