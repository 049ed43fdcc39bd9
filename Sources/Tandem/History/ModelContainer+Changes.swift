import RecordStore

extension ModelContainer {
  /// The commits to the container's stores from now on: by this process, by others, and merges.
  ///
  /// In order for each store. Several consumers each get all of them; a consumer that is slow loses none.
  /// Ends when the consuming task is cancelled or lets the sequence go, and with an error when a store cannot be read
  /// any more. The error is `SwiftDataError.backwardMigration` once another process has migrated it to a schema of
  /// which this process's is no part; its sentence says what to do.
  ///
  /// ```swift
  /// for try await transaction in container.changes where transaction.origin != .thisProcess {
  ///   refresh(transaction.updated)
  /// }
  /// ```
  public var changes: AsyncThrowingStream<ContainerTransaction, any Error> {
    // The store's streams begin here, so that a commit right after this call is not missed.
    let streams = core.ownStores.map { ($0, $0.store.changes) }
    let core = core
    return AsyncThrowingStream { continuation in
      let task = Task {
        await withTaskGroup(of: Void.self) { group in
          for (store, stream) in streams {
            group.addTask {
              do {
                for try await transaction in stream {
                  continuation.yield(ContainerTransaction(transaction, store, core))
                }
              } catch {
                continuation.finish(throwing: error)
              }
            }
          }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
