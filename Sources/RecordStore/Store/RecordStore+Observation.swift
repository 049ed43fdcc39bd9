import Synchronization

// Hearing of commits.
extension RecordStore {
  /// Transactions committed after this call, by this process, others, and merges, in order. Several
  /// consumers each get all of them. A consumer that is slow loses none: they are read from history.
  ///
  /// Ends with an error when the store cannot be read any more: `backwardMigration` once another process has migrated
  /// it to a schema that the one this handle was opened with is no part of, `historyTokenExpired` when the history that
  /// it would need was trimmed. Until then nothing is missing.
  public var changes: AsyncThrowingStream<HistoryTransaction, any Error> {
    AsyncThrowingStream { continuation in
      do {
        let reader = ChangeReader(store: self, after: try core.lastNumber(), continuation)
        let observation = observeCommits { _ in reader.deliver() }
        continuation.onTermination = { _ in observation.cancel() }
        // A commit between the look at the number and the registration has told nobody.
        core.observers.async { reader.deliver() }
      } catch {
        continuation.finish(throwing: error)
      }
    }
  }

  /// Calls `observer` on a thread of the store's after each commit, own or foreign, one at a time, with the number of
  /// the newest transaction. A migration that rewrites no record is a commit without a new number. Ends when the
  /// returned token goes. `observer` must not block.
  public func observeCommits(_ observer: @escaping @Sendable (UInt64) -> Void) -> CommitObservation {
    let core = core
    let token = core.startObserving(observer)
    // The observation keeps the store open: there is no news of a closed one.
    return CommitObservation { core.observers.remove(token) }
  }

  /// As ``observeCommits(_:)``, of commits which note that awaited large values have come. They are no transactions of
  /// history. The first call may come without one.
  package func observeArrivals(_ observer: @escaping @Sendable () -> Void) -> CommitObservation {
    let core = core
    let token = core.startObserving(of: .arrivals) { _ in observer() }
    return CommitObservation { core.observers.remove(token) }
  }
}

/// Keeps a commit observer registered as long as it lives.
public final class CommitObservation: Sendable {
  package let cancel: @Sendable () -> Void
  package init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }
  deinit { cancel() }
}

/// Reads history for one consumer of ``RecordStore/changes``, on the queue of the observers.
private final class ChangeReader: Sendable {
  private let store: RecordStore
  private let number: Mutex<UInt64>
  private let continuation: AsyncThrowingStream<HistoryTransaction, any Error>.Continuation

  init(
    store: RecordStore, after number: UInt64,
    _ continuation: AsyncThrowingStream<HistoryTransaction, any Error>.Continuation
  ) {
    self.store = store
    self.number = Mutex(number)
    self.continuation = continuation
  }

  func deliver() {
    let last = number.withLock { $0 }
    do {
      let transactions = try store.read { try $0.history(after: last) }
      for transaction in transactions { continuation.yield(transaction) }
      if let newest = transactions.last?.number { number.withLock { $0 = newest } }
    } catch {
      continuation.finish(throwing: error)
    }
  }
}
