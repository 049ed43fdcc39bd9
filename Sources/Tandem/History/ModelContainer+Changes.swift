import RecordStore

extension ModelContainer {
  /// The commits to the container's stores from now on: by this process, by others, and merges.
  ///
  /// In order for each store. Several consumers each get all of them; a consumer that is slow loses none.
  /// Ends when the consuming task is cancelled or lets the sequence go.
  ///
  /// ```swift
  /// for await transaction in container.changes where transaction.origin != .thisProcess {
  ///   try refresh(transaction.updated)
  /// }
  /// ```
  public var changes: AsyncStream<ContainerTransaction> {
    // The store's streams begin here, so that a commit right after this call is not missed.
    let streams = core.ownStores.map { ($0, $0.store.changes) }
    let core = core
    return AsyncStream { continuation in
      let task = Task {
        await withTaskGroup(of: Void.self) { group in
          for (store, stream) in streams {
            group.addTask {
              for await transaction in stream { continuation.yield(ContainerTransaction(transaction, store, core)) }
            }
          }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
