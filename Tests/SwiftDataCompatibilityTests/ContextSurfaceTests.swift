import SwiftData
import Testing

/// What a context offers beside fetching, each as the documentation of SwiftData has it.
@MainActor
@Suite struct ContextSurfaceTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try makeContainer()
    context = container.mainContext
  }

  private func trip(_ code: String, _ number: Int = 1) -> Trip {
    Trip(code: code, name: "n", destination: "d", start: .day(number))
  }

  private var codes: [String] {
    get throws { try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)])).map(\.code) }
  }

  @Test func `the context lists what is inserted, changed and deleted`() throws {
    let first = trip("1")
    let second = trip("2", 2)
    context.insert(first)
    context.insert(second)
    #expect(context.hasChanges && first.hasChanges)
    #expect(
      Set(context.insertedModelsArray.map(\.persistentModelID)) == [first.persistentModelID, second.persistentModelID])
    #expect(context.changedModelsArray.isEmpty && context.deletedModelsArray.isEmpty)
    try context.save()
    #expect(!context.hasChanges && !first.hasChanges && context.insertedModelsArray.isEmpty)
    first.name = "changed"
    context.delete(second)
    #expect(context.changedModelsArray.map(\.persistentModelID) == [first.persistentModelID])
    #expect(context.deletedModelsArray.map(\.persistentModelID) == [second.persistentModelID])
    #expect(first.hasChanges && second.isDeleted && !first.isDeleted)
    #expect(first.modelContext == context)
    context.rollback()
    #expect(!context.hasChanges && !second.isDeleted && first.name == "n")
  }

  @Test func `a transaction saves what its block did, or throws with nothing saved`() throws {
    struct Refusal: Error {}
    try context.transaction { context.insert(trip("1")) }
    #expect(!context.hasChanges)
    #expect(throws: Refusal.self) {
      try context.transaction {
        context.insert(trip("2", 2))
        throw Refusal()
      }
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(context.hasChanges)
    context.rollback()
    #expect(try codes == ["1"])
  }

  @Test func `notices tell of a save before and after it`() throws {
    let log = Log()
    let center = NotificationCenter.default
    let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
      center.addObserver(forName: name, object: context, queue: nil) { log.add($0) }
    }
    defer { for token in tokens { center.removeObserver(token) } }
    let first = trip("1")
    let second = trip("2", 2)
    context.insert(first)
    context.insert(second)
    try context.save()
    first.name = "changed"
    context.delete(second)
    try context.save()
    // Nothing to save, nothing to tell.
    try context.save()
    #expect(log.names == [ModelContext.willSave, ModelContext.didSave, ModelContext.willSave, ModelContext.didSave])
    #expect(log.identifiers(.insertedIdentifiers, at: 1) == [first.persistentModelID, second.persistentModelID])
    #expect(log.identifiers(.updatedIdentifiers, at: 3) == [first.persistentModelID])
    #expect(log.identifiers(.deletedIdentifiers, at: 3) == [second.persistentModelID])
    // Many apps write the texts.
    #expect(log.value("inserted", at: 1) as? [PersistentIdentifier] == [first, second].map(\.persistentModelID))
    #expect(log.value("updated", at: 3) as? [PersistentIdentifier] == [first.persistentModelID])
    #expect(log.value("deleted", at: 3) as? [PersistentIdentifier] == [second.persistentModelID])
  }

  @Test func `a fetch in batches and one of identifiers`() throws {
    for number in 1...7 { context.insert(trip("\(number)", number)) }
    let all = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start, order: .reverse)])
    do {
      _ = try context.fetch(all, batchSize: 2)
      Issue.record("a fetch in batches took unsaved changes in")
    } catch SwiftDataError.includePendingChangesWithBatchSize {
    }
    #expect(try context.fetchIdentifiers(all).count == 7)
    try context.save()
    let results = try context.fetch(all, batchSize: 2)
    #expect(results.count == 7 && results[6].code == "1" && results.first?.code == "7")
    #expect(results.map(\.code) == ["7", "6", "5", "4", "3", "2", "1"])
    let identifiers = try context.fetchIdentifiers(all, batchSize: 3)
    #expect(identifiers.elementsEqual(results.map(\.persistentModelID)))
    context.insert(trip("8", 8))
    var stored = all
    stored.includePendingChanges = false
    #expect(try context.fetch(stored, batchSize: 100).count == 7)
    #expect(try context.fetchCount(all) == 8)
  }

  @Test func `hints do not change what a fetch gives`() throws {
    let stop = Stop(place: "Stryi", order: 1)
    let trip = trip("1")
    context.insert(trip)
    trip.stops = [stop]
    try context.save()
    var descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.code == "1" })
    descriptor.propertiesToFetch = [\.name]
    descriptor.relationshipKeyPathsForPrefetching = [\.stops]
    let other = ModelContext(container)
    let found = try #require(try other.fetch(descriptor).first)
    #expect(found.code == "1" && found.stops.map(\.place) == ["Stryi"])
    #expect(descriptor != FetchDescriptor<Trip>(predicate: #Predicate { $0.code == "1" }))
    #expect(FetchDescriptor<Trip>() == FetchDescriptor<Trip>())
  }

  @Test func `enumerate goes through all, and saves in between lose nothing`() throws {
    for number in 1...25 { context.insert(trip("\(number)", number)) }
    try context.save()
    var seen = 0
    try context.enumerate(FetchDescriptor<Trip>(), batchSize: 10, allowEscapingMutations: true) { trip in
      trip.name = "seen"
      seen += 1
      if seen % 5 == 0 { try context.save() }
    }
    #expect(seen == 25)
    let name = "seen"
    #expect(
      try ModelContext(container).fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })) == 25)
    struct Stop: Error {}
    #expect(throws: Stop.self) { try context.enumerate(FetchDescriptor<Trip>()) { _ in throw Stop() } }
    // A window, and a part of the predicate that Swift decides.
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.code.count == 2 }, sortBy: [SortDescriptor(\.start)])
    descriptor.fetchOffset = 3
    descriptor.fetchLimit = 2
    var codes: [String] = []
    try context.enumerate(descriptor, batchSize: 2) { codes.append($0.code) }
    #expect(codes == ["13", "14"])
    // Deleted on the way: passed over.
    codes = []
    try context.enumerate(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)])) { trip in
      codes.append(trip.code)
      if trip.code == "1" {
        context.delete(
          try #require(try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.code == "2" })).first))
      }
    }
    #expect(codes.count == 24 && !codes.contains("2"))
  }

  @Test func `delete(model:) deletes all, what a predicate says, and what is not saved yet`() throws {
    for number in 1...4 { context.insert(trip("\(number)", number)) }
    try context.save()
    context.insert(trip("5", 5))
    let from = Date.day(4)
    try context.delete(model: Trip.self, where: #Predicate { $0.start >= from }, includeSubclasses: true)
    #expect(try codes == ["1", "2", "3"])
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 3)
    try context.delete(model: Trip.self)
    context.rollback()
    #expect(try codes == ["1", "2", "3"])
    try context.delete(model: Trip.self)
    try context.save()
    #expect(try codes.isEmpty)
  }

  @Test func `models by identifier, registered or not`() throws {
    let trip = trip("1")
    let early = trip.persistentModelID
    #expect(early.isTemporary && early.entityName == "Trip" && early.storeIdentifier == nil)
    context.insert(trip)
    try context.save()
    let id = trip.persistentModelID
    #expect(!id.isTemporary && id.storeIdentifier != nil && trip.id == id)
    let other = ModelContext(container)
    let unknown: Trip? = other.registeredModel(for: id)
    #expect(unknown == nil)
    let found = try #require(other.model(for: id) as? Trip)
    let known: Trip? = other.registeredModel(for: id)
    #expect(known === found)
    context.delete(trip)
    try context.save()
    #expect((ModelContext(container).model(for: id) as? Trip)?.isDeleted == true)
    let sorted = [id, early].sorted()
    #expect(sorted.count == 2)
  }

  @Test func `an identifier of a class that the container does not have gives an object of none`() throws {
    let stranger = try PersistentIdentifier.identifier(for: "s", entityName: "Stranger", primaryKey: "1")
    let found = context.model(for: stranger)
    #expect(found.isDeleted && !(found is Trip))
    #expect {
      try context.save()
    } throws: {
      SwiftDataError.unknownSchema ~= $0
    }
    try context.save()
  }

  @Test func `an object of another context is not inserted, and the save says so`() throws {
    let trip = trip("1")
    context.insert(trip)
    let other = ModelContext(container)
    other.insert(trip)
    #expect(trip.modelContext == context && !other.hasChanges)
    #expect {
      try other.save()
    } throws: {
      SwiftDataError.objectOfAnotherContext ~= $0
    }
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test func `the main context saves by itself when it is asked to`() async throws {
    context.autosaveEnabled = true
    context.insert(trip("1"))
    while context.hasChanges { await Task.yield() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    context.autosaveEnabled = false
    #expect(!ModelContext(container).autosaveEnabled)
  }

  @Test func `contexts and containers compare by identity, and know each other`() throws {
    let other = ModelContext(container)
    other.author = "import"
    #expect(other.editingState.author == "import" && other.editingState.id != context.editingState.id)
    #expect(context == container.mainContext && other != context)
    #expect(other.container == container)
    context.processPendingChanges()
  }

  @Test func `an error of fetching is thrown, and says what to do`() throws {
    let lonely = try ModelContainer(
      for: Passport.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    ).mainContext
    do {
      _ = try lonely.fetch(FetchDescriptor<Trip>())
      Issue.record("a class outside of the schema was fetched")
    } catch SwiftDataError.unknownSchema {
    }
    var descriptor = FetchDescriptor<Trip>()
    descriptor.fetchLimit = -1
    let bad = descriptor
    #expect(#expect(throws: SwiftDataError.self) { try context.fetch(bad) }?.code == .invalidRequest)
  }
}

/// Notices, in the order in which they came. They come on the thread of the save, which is the main actor's here.
private final class Log: @unchecked Sendable {
  private var notices: [Notification] = []
  func add(_ notice: Notification) { notices.append(notice) }
  var names: [Notification.Name] { notices.map(\.name) }
  func identifiers(_ key: ModelContext.NotificationKey, at index: Int) -> Set<PersistentIdentifier> {
    Set(value(key.rawValue, at: index) as? [PersistentIdentifier] ?? [])
  }
  func value(_ key: String, at index: Int) -> Any? { notices[index].userInfo?[key] }
}
