import Dispatch

/// Runs an actor's work on a queue of its own, beside the context that the work uses.
///
/// ```swift
/// actor Archive: ModelActor {
///   nonisolated let modelContainer: ModelContainer
///   nonisolated let modelExecutor: any ModelExecutor
///
///   init(_ container: ModelContainer) {
///     modelContainer = container
///     modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
///   }
///
///   func countTrips() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Trip>()) }
/// }
/// ```
///
/// `@unchecked Sendable` because the context is only handed to the actor whose executor this is, and every
/// job of that actor runs on the one serial queue.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  /// The context of the actor.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "tandem.model-actor")

  /// An executor for a context, which belongs to the actor from then on.
  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  /// Runs a job on the executor's queue, after those that were given before.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// A reference to the executor for the runtime; the actor keeps it alive.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
