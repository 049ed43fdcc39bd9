import SwiftData
import Testing

/// The main context saves by itself. Most apps rely on it and never call `save()`.
@MainActor
@Suite struct AutosaveTests {
  private let folder: URL
  private let configuration: ModelConfiguration

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    configuration = ModelConfiguration(url: folder.appending(path: "travel.store"))
  }

  private func makeContainer(allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self, Traveler.self,
      configurations: allowsSave ? configuration : ModelConfiguration(url: configuration.url, allowsSave: false))
  }

  private func withFolder(_ body: @MainActor () async throws -> Void) async throws {
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
    try outcome.get()
  }

  /// Waits for the main actor's next turn.
  private func turn() async { await Task { @MainActor in }.value }

  private func trip(_ code: String) -> Trip { Trip(code: code, name: code, destination: "Lviv", start: .day(1)) }

  private func saved() throws -> [String] {
    try ModelContext(try makeContainer()).fetch(FetchDescriptor<Trip>()).map(\.code).sorted()
  }

  @Test func `the main context saves at the main actor's next turn, and only then`() async throws {
    try await withFolder {
      let container = try makeContainer()
      let context = container.mainContext
      #expect(context.autosaveEnabled && !ModelContext(container).autosaveEnabled)
      let trip = trip("A1")
      context.insert(trip)
      #expect(context.hasChanges && context.insertedModelsArray.count == 1 && trip.hasChanges)
      #expect(try saved() == [])
      await turn()
      #expect(!context.hasChanges && context.insertedModelsArray.isEmpty)
      #expect(try saved() == ["A1"])
      trip.code = "A2"
      #expect(context.changedModelsArray.count == 1)
      await turn()
      #expect(try saved() == ["A2"])
      context.delete(trip)
      #expect(context.deletedModelsArray.count == 1)
      await turn()
      #expect(try saved() == [])
    }
  }

  @Test func `a turn after which nothing is pending saves nothing`() async throws {
    try await withFolder {
      let context = try makeContainer().mainContext
      let saves = Count()
      let token = NotificationCenter.default.addObserver(
        forName: ModelContext.willSave, object: context, queue: nil
      ) { _ in saves.add() }
      defer { NotificationCenter.default.removeObserver(token) }
      await turn()
      context.insert(trip("A1"))
      context.rollback()
      await turn()
      #expect(saves.value == 0)
      context.insert(trip("A2"))
      try context.save()
      await turn()
      #expect(saves.value == 1)
      for number in 0..<10 { context.insert(trip("B\(number)")) }
      await turn()
      #expect(saves.value == 2 && !context.hasChanges)
      #expect(try saved().count == 11)
    }
  }

  @Test func `what is changed after a save of the same turn saves itself at the next one`() async throws {
    try await withFolder {
      let context = try makeContainer().mainContext
      context.insert(trip("A1"))
      try context.save()
      context.insert(trip("A2"))
      await turn()
      #expect(try !context.hasChanges && saved() == ["A1", "A2"])
      context.insert(trip("A3"))
      context.rollback()
      context.insert(trip("A4"))
      await turn()
      #expect(try !context.hasChanges && saved() == ["A1", "A2", "A4"])
    }
  }

  @Test func `what is pending when a container goes away is saved`() async throws {
    try await withFolder {
      @MainActor func write() throws { try makeContainer().mainContext.insert(trip("A1")) }
      try write()
      #expect(try saved() == ["A1"])
      @MainActor func writeAndKeep() throws -> Trip {
        let container = try makeContainer()
        let kept = trip("A2")
        container.mainContext.insert(kept)
        return kept
      }
      let kept = try writeAndKeep()
      #expect(try saved() == ["A1", "A2"])
      #expect(kept.code == "A2" && !kept.isDeleted && !kept.hasChanges)
    }
  }

  @Test func `what is pending when the main context goes away after its container is saved`() async throws {
    try await withFolder {
      var context: ModelContext? = try makeContainer().mainContext
      context?.insert(trip("A1"))
      context = nil
      #expect(try saved() == ["A1"])
    }
  }

  @Test func `what is pending when a container goes away off the main actor is saved at the next turn`() async throws {
    try await withFolder {
      let holder = Holder()
      holder.container = try makeContainer()
      holder.container?.mainContext.insert(trip("A1"))
      await Task.detached { holder.container = nil }.value
      await turn()
      #expect(try saved() == ["A1"])
    }
  }

  @Test func `a main context that must not save by itself does not`() async throws {
    try await withFolder {
      var container: ModelContainer? = try makeContainer()
      container?.mainContext.autosaveEnabled = false
      container?.mainContext.insert(trip("A1"))
      await turn()
      #expect(container?.mainContext.hasChanges == true)
      container = nil
      #expect(try saved() == [])
    }
  }

  @Test func `changes are kept and no error comes where the store is open for reading only`() async throws {
    try await withFolder {
      try makeContainer().mainContext.insert(trip("A1"))
      let context = try makeContainer(allowsSave: false).mainContext
      let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
      trip.name = "renamed"
      await turn()
      #expect(context.hasChanges && trip.name == "renamed")
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
      #expect(#expect(throws: SwiftDataError.self) { try context.save() }?.code == .readOnly)
      context.rollback()
    }
  }

  @Test func `a refused save is posted, thrown by the next call that can, and tried again`() async throws {
    try await withFolder {
      let context = try makeContainer().mainContext
      let traveler = Traveler(email: "o@example.com", firstName: "Olena")
      traveler.passport = Passport(number: "1")
      context.insert(traveler)
      await turn()
      let refusals = Count()
      let token = NotificationCenter.default.addObserver(
        forName: ModelContext.didFailToAutosave, object: context, queue: nil
      ) { if $0.userInfo?["error"] is any Error { refusals.add() } }
      defer { NotificationCenter.default.removeObserver(token) }
      context.delete(traveler)
      await turn()
      #expect(refusals.value == 1 && context.hasChanges && traveler.isDeleted)
      let refusal = #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Trip>()) }
      #expect(refusal?.code == .deleteDenied)
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
      context.rollback()
      context.insert(trip("A1"))
      await turn()
      #expect(refusals.value == 1 && !context.hasChanges)
      #expect(try saved() == ["A1"])
    }
  }

  @Test func `a transaction whose block throws leaves its changes to the next turn, and a rollback takes them`()
    async throws
  {
    struct Refused: Error {}
    try await withFolder {
      let context = try makeContainer().mainContext
      #expect(throws: Refused.self) {
        try context.transaction {
          context.insert(trip("A1"))
          throw Refused()
        }
      }
      #expect(try context.hasChanges && saved() == [])
      context.rollback()
      await turn()
      #expect(try saved() == [])
    }
  }

  @Test func `a change is undone after it saved itself`() async throws {
    try await withFolder {
      let context = try makeContainer().mainContext
      context.undoManager = UndoManager()
      let trip = trip("A1")
      context.insert(trip)
      await turn()
      trip.name = "renamed"
      await turn()
      context.undoManager?.undo()
      #expect(trip.name == "A1")
      await turn()
      let others = try ModelContext(makeContainer()).fetch(FetchDescriptor<Trip>())
      #expect(others.map(\.name) == ["A1"])
    }
  }

  @Test func `several containers each save by themselves, in memory too`() async throws {
    try await withFolder {
      let memory = try (0..<2).map { _ in
        try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      }
      let container = try makeContainer()
      for (number, each) in (memory + [container]).enumerated() { each.mainContext.insert(trip("A\(number)")) }
      await turn()
      for (number, each) in (memory + [container]).enumerated() {
        #expect(!each.mainContext.hasChanges)
        #expect(try ModelContext(each).fetch(FetchDescriptor<Trip>()).map(\.code) == ["A\(number)"])
      }
    }
  }
}

/// Counts notices.
// @unchecked: they come on the main actor here, where the count is read, too.
private final class Count: @unchecked Sendable {
  private(set) var value = 0
  func add() { value += 1 }
}

/// Hands a container to another thread.
// @unchecked: nobody else uses it meanwhile.
private final class Holder: @unchecked Sendable {
  var container: ModelContainer?
}
