/// An actor with a context of its own. Write ``ModelActor()`` before the actor; the macro conforms it.
public protocol ModelActor: Actor {
  /// The container of the actor's context. The macro stores it.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor that the actor's work runs on. The macro stores it.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The actor's context.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The model executor itself, if it is a ``SerialModelExecutor``; else one queue for all such actors.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialModelExecutor else {
      return CommonModelExecutor.shared.asUnownedSerialExecutor()
    }
    return executor.asUnownedSerialExecutor()
  }

  /// The object of an identifier in the actor's context; nil if there is none of this class any more.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    modelContext.existingModel(for: id) as? T
  }
}

/// Runs work on a context.
public protocol ModelExecutor: Executor {
  /// The context of the work.
  var modelContext: ModelContext { get }
}

/// Runs work on a context, one piece at a time.
///
/// ```swift
/// // Unchecked, for only jobs of the one queue use the context.
/// final class QueueExecutor: SerialModelExecutor, @unchecked Sendable {
///   let modelContext: ModelContext
///   private let queue: DispatchQueue
///
///   init(_ modelContext: ModelContext, on queue: DispatchQueue) {
///     (self.modelContext, self.queue) = (modelContext, queue)
///   }
///
///   func enqueue(_ job: consuming ExecutorJob) {
///     let job = UnownedJob(job)
///     queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
///   }
///
///   func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
/// }
/// ```
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}
