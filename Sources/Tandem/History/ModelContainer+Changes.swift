import RecordStore

extension ModelContainer {
  /// The commits to the container's stores from now on: by this process, by others, and merges.
  ///
  /// In order for each store. Several consumers each get all of them; a consumer that is slow loses none.
  /// Ends when the consuming task is cancelled or lets the sequence go, and with an error when it cannot tell all
  /// that happened. The error is `SwiftDataError.backwardMigration` once another process has migrated a store to a
  /// schema of which this process's is no part; its sentence says what to do. It is
  /// `SwiftDataError.historyTokenExpired` where any process erased a store, by ``erase()`` or ``deleteAllData()``, for
  /// no transaction names the objects that went, and where a synchronisation trimmed history that was not read yet.
  /// Ask for the changes again then, and fetch the objects anew, in this order, so that no save falls between.
  ///
  /// ```swift
  /// for try await transaction in container.changes where transaction.origin != .thisProcess {
  ///   refresh(transaction.updated)
  /// }
  /// ```
  /// To go on through an erasure:
  ///
  /// ```swift
  /// var changes = container.changes
  /// while true {
  ///   do {
  ///     for try await transaction in changes { refresh(transaction.updated) }
  ///     break
  ///   } catch SwiftDataError.historyTokenExpired {
  ///     changes = container.changes
  ///     refreshAll()
  ///   }
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
