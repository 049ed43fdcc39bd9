import Dispatch
import Foundation
import Tandem
import Testing

@Model private final class Purchase {
  var number: UInt64
  init(_ number: UInt64) { self.number = number }
}

@Model private final class Credit {
  var purchase: Purchase?
  init(of purchase: Purchase) { self.purchase = purchase }
}

actor Archive: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  init(_ container: ModelContainer) {
    modelContainer = container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
  }

  func countTrips() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Trip>()) }
}

// Unchecked, for only jobs of the one queue use the context.
final class QueueExecutor: SerialModelExecutor, @unchecked Sendable {
  let modelContext: ModelContext
  private let queue: DispatchQueue

  init(_ modelContext: ModelContext, on queue: DispatchQueue) {
    (self.modelContext, self.queue) = (modelContext, queue)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

private actor Ledger: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor
  private let queue: DispatchQueue

  init(_ container: ModelContainer, on queue: DispatchQueue) {
    modelContainer = container
    modelExecutor = QueueExecutor(ModelContext(container), on: queue)
    self.queue = queue
  }

  func count() throws -> Int {
    dispatchPrecondition(condition: .onQueue(queue))
    return try modelContext.fetchCount(FetchDescriptor<Trip>())
  }
}

/// The code in the comments of contexts and executors.
struct ContextExampleTests {
  @Test func `an actor that is written without the macro works on its own context`() async throws {
    try await withContainer(for: Trip.self) { container in
      let context = ModelContext(container)
      context.insert(Trip(code: "A1"))
      try context.save()
      #expect(try await Archive(container).countTrips() == 1)
      #expect(try await Ledger(container, on: DispatchQueue(label: "ledger")).count() == 1)
    }
  }

  @Test func `a context names itself by its author and an id`() async throws {
    try await withContainer(for: Trip.self) { container in
      let context = ModelContext(container)
      var lines: [String] = []
      func log(_ line: String) { lines.append(line) }

      context.author = "import"
      let state: EditingState = context.editingState
      log("\(state.author ?? "nobody") edits as \(state.id)")
      #expect(lines == ["import edits as \(context.editingState.id)"])
      #expect(ModelContext(container).editingState.id != state.id)
    }
  }

  @Test func `a notification of a save names the new objects`() async throws {
    try await withContainer(for: Trip.self) { container in
      let context = ModelContext(container)
      nonisolated(unsafe) var added: [PersistentIdentifier] = []

      let observer = NotificationCenter.default.addObserver(
        forName: ModelContext.didSave, object: context, queue: nil
      ) { notification in
        let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
        added += notification.userInfo?[key] as? [PersistentIdentifier] ?? []
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      let trip = Trip(code: "A1")
      context.insert(trip)
      try context.save()
      #expect(added == [trip.persistentModelID])
    }
  }

  @Test func `an effect with a key happens once`() async throws {
    struct Paid { let id: UInt64 }
    try await withContainer(for: Purchase.self, Credit.self) { container in
      let context = ModelContext(container)
      let transaction = Paid(id: 4)
      for _ in 1...2 {
        try context.transaction(once: "purchase \(transaction.id)") {
          let purchase = Purchase(transaction.id)
          context.insert(purchase)
          context.insert(Credit(of: purchase))
        }
      }
      #expect(try context.fetchCount(FetchDescriptor<Credit>()) == 1)
    }
  }
}
