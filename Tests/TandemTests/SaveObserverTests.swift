import Foundation
import RecordStore
import Tandem
import Testing

/// Observers of `willSave` and `didSave` that change objects, save and roll back themselves. Apps do so to note the
/// time of a change, or to keep a summary.
@Suite struct SaveObserverTests {
  /// Observes a context's notification for the time of a closure. Its observers run on the thread of the save.
  private func observing(
    _ name: Notification.Name, _ context: ModelContext, _ react: @escaping (ModelContext, Notification) -> Void,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async throws {
    nonisolated(unsafe) let react = react
    let token = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { notification in
      if let context = notification.object as? ModelContext { react(context, notification) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try await body()
  }

  private static func stamp(_ context: ModelContext) {
    for case let stop as Stop in context.insertedModelsArray + context.changedModelsArray { stop.order += 1 }
  }

  private func saved(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Stop>(sortBy: [SortDescriptor(\.place)]))
      .map { "\($0.place) \($0.order)" }
  }

  /// It was shown and not saved, because the changes had been gathered before the observer was told.
  @Test func `what an observer changes before a once transaction is saved with it`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      try await observing(ModelContext.willSave, context, { context, _ in Self.stamp(context) }) {
        let stop = Stop(place: "a")
        try context.transaction(once: "made") { context.insert(stop) }
        #expect(try saved(container) == ["a 1"])
        try context.transaction(once: "renamed") { stop.place = "b" }
        #expect(try saved(container) == ["b 2"])
        #expect(!context.hasChanges)
      }
      try await observing(ModelContext.willSave, context, { context, _ in context.insert(Stop(place: "log")) }) {
        try context.transaction(once: "logged") { context.insert(Stop(place: "c")) }
      }
      #expect(try saved(container) == ["b 2", "c 0", "log 0"])
    }
  }

  /// The effect would have been saved without its key.
  @Test func `an observer's save before a once transaction is refused, and the transaction goes on`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      nonisolated(unsafe) var failures: [SwiftDataError.Code] = []
      try await observing(
        ModelContext.willSave, context,
        { context, _ in
          do {
            try context.save()
          } catch {
            failures.append((error as? SwiftDataError)?.code ?? .busy)
          }
        }
      ) {
        try context.transaction(once: "made") { context.insert(Stop(place: "a")) }
      }
      #expect(failures == [.invalidOnceTransaction])
      let outcome = try ModelContext(container).transaction(once: "made") {}
      #expect(outcome == .alreadyDone)
      #expect(try saved(container) == ["a 0"])
    }
  }

  /// Each save announced itself, and so saved again, until the stack was full.
  @Test func `an observer that saves before the save has done it, and each is told once`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      nonisolated(unsafe) var events: [String] = []
      try await observing(
        ModelContext.willSave, context,
        { context, _ in
          events.append("will save")
          Self.stamp(context)
          #expect(throws: Never.self) { try context.save() }
          events.append("saved")
        }
      ) {
        try await observing(ModelContext.didSave, context, { _, _ in events.append("did save") }) {
          context.insert(Stop(place: "a"))
          try context.save()
        }
      }
      #expect(events == ["will save", "did save", "saved"])
      #expect(try saved(container) == ["a 1"])
      #expect(!context.hasChanges)
    }
  }

  @Test func `an observer that rolls back before the save leaves nothing to save`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      nonisolated(unsafe) var saves = 0
      try await observing(ModelContext.willSave, context, { context, _ in context.rollback() }) {
        try await observing(ModelContext.didSave, context, { _, _ in saves += 1 }) {
          context.insert(Stop(place: "a"))
          try context.save()
        }
      }
      #expect(saves == 0)
      #expect(try saved(container) == [])
      #expect(!context.hasChanges)
    }
  }

  @Test func `an observer that changes and saves after a save is told of its own save`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      nonisolated(unsafe) var inserted: [Int] = []
      try await observing(
        ModelContext.didSave, context,
        { context, notification in
          inserted.append((notification.userInfo?["inserted"] as? [PersistentIdentifier])?.count ?? -1)
          guard inserted.count == 1 else { return }
          context.insert(Stop(place: "log"))
          #expect(throws: Never.self) { try context.save() }
        }
      ) {
        context.insert(Stop(place: "a"))
        context.insert(Stop(place: "b"))
        try context.save()
      }
      #expect(inserted == [2, 1])
      #expect(try saved(container) == ["a 0", "b 0", "log 0"])
    }
  }

  /// The main context counted as without changes, and so the end of the process did not save them either.
  @MainActor @Test func `what an observer changes after an autosave saves itself at the next turn`() async throws {
    try await withContainer { container in
      let context = container.mainContext
      context.autosaveEnabled = true
      nonisolated(unsafe) var isNoted = false
      try await observing(
        ModelContext.didSave, context,
        { context, _ in
          if !isNoted { context.insert(Stop(place: "log")) }
          isNoted = true
        }
      ) {
        context.insert(Stop(place: "a"))
        for _ in 0..<3 { await Task { @MainActor in }.value }
      }
      #expect(!context.hasChanges)
      #expect(try saved(container) == ["a 0", "log 0"])
    }
  }

  @Test func `what an observer changes before a save is undone with it`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let manager = UndoManager()
      let stop = Stop(place: "a")
      context.insert(stop)
      try context.save()
      context.undoManager = manager
      try await observing(ModelContext.willSave, context, { context, _ in Self.stamp(context) }) {
        stop.place = "b"
        try context.save()
        stop.place = "c"
        manager.undo()
        #expect(stop.place == "b" && stop.order == 1)
        manager.undo()
        #expect(stop.place == "a" && stop.order == 0)
      }
    }
  }

  /// Nobody heard of them: neither observers nor, before its next fetch, the main context.
  @Test func `didSave tells of the stores that saved before one refused`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let container = try ModelContainer(
      for: Schema([Photo.self, Receipt.self]),
      configurations: [
        ModelConfiguration("first", schema: Schema([Photo.self]), url: folder.appending(path: "first.store")),
        ModelConfiguration("second", schema: Schema([Receipt.self]), url: folder.appending(path: "second.store")),
      ])
    let context = ModelContext(container)
    context.insert(Receipt(number: 1))
    try context.save()
    nonisolated(unsafe) var inserted: [[String]] = []
    try await observing(
      ModelContext.didSave, context,
      { _, notification in
        inserted.append((notification.userInfo?["inserted"] as? [PersistentIdentifier] ?? []).map(\.entityName))
      }
    ) {
      context.insert(Photo(title: "a"))
      let receipt = Receipt(number: 1)
      context.insert(receipt)
      expectError(.uniquenessViolation) { try context.save() }
      #expect(inserted == [["Photo"]])
      #expect(context.insertedModelsArray.map(\.persistentModelID) == [receipt.persistentModelID])
      receipt.number = 2
      try context.save()
      #expect(inserted == [["Photo"], ["Receipt"]])
    }
  }
}

@Model final class Receipt {
  @Attribute(.unique(.throw)) var number: Int
  init(number: Int) { self.number = number }
}
