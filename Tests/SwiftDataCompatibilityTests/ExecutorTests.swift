import Dispatch
import SwiftData
import Testing

/// An actor without the macro, as apps wrote them before it.
private actor Counter: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  init(modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
  }

  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Trip>()) }
}

/// An executor of the app's own. `@unchecked Sendable` because the context is used by the jobs of the one queue alone.
private final class QueueExecutor: SerialModelExecutor, @unchecked Sendable {
  let modelContext: ModelContext
  let queue = DispatchQueue(label: "app.models")
  init(_ container: ModelContainer) { modelContext = ModelContext(container) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

private actor Writer: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor
  private let queue: DispatchQueue

  init(_ container: ModelContainer) {
    let executor = QueueExecutor(container)
    modelContainer = container
    modelExecutor = executor
    queue = executor.queue
  }

  func add(_ code: String) throws -> PersistentIdentifier {
    dispatchPrecondition(condition: .onQueue(queue))
    let trip = Trip(code: code, name: code, destination: "Lviv", start: .day(1))
    modelContext.insert(trip)
    try modelContext.save()
    return trip.persistentModelID
  }

  func rename(_ id: PersistentIdentifier, _ name: String) throws -> Bool {
    guard let trip = self[id, as: Trip.self] else { return false }
    trip.name = name
    try modelContext.save()
    return true
  }
}

/// Holds a context and cannot run an actor. `@unchecked Sendable` because only the one actor uses the context.
private final class PlainExecutor: ModelExecutor, @unchecked Sendable {
  let modelContext: ModelContext
  init(_ container: ModelContainer) { modelContext = ModelContext(container) }
  func enqueue(_ job: UnownedJob) {}
}

private actor PlainActor: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  init(_ container: ModelContainer) {
    modelContainer = container
    modelExecutor = PlainExecutor(container)
  }

  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Trip>()) }
}

@Suite struct ExecutorTests {
  @Test @MainActor func `an actor runs though its model executor cannot run actors`() async throws {
    let container = try makeContainer()
    let counters = (0..<4).map { _ in PlainActor(container) }
    for counter in counters { #expect(try await counter.count() == 0) }
  }

  @Test @MainActor func `actors with executors of their own work beside the main context`() async throws {
    let container = try makeContainer()
    let writer = Writer(container)
    let counter = Counter(modelContainer: container)
    let id = try await writer.add("A1")
    #expect(try await counter.count() == 1)
    #expect(try await writer.rename(id, "New"))
    #expect((container.mainContext.model(for: id) as? Trip)?.name == "New")
    #expect(counter.modelContainer == container && writer.modelExecutor is any SerialModelExecutor)
  }

  @Test @MainActor func `an identifier of another class or of nothing gives nil`() async throws {
    let container = try makeContainer()
    let writer = Writer(container)
    let stop = Stop(place: "x", order: 1)
    container.mainContext.insert(stop)
    try container.mainContext.save()
    #expect(try await !writer.rename(stop.persistentModelID, "x"))
    let unknown = try PersistentIdentifier.identifier(for: "s", entityName: "Trip", primaryKey: "none")
    #expect(try await !writer.rename(unknown, "x"))
  }
}
