import Foundation
import RecordStore

extension KeyValueStore {
  /// The suite's changes committed after this call, by any process and by merges, in order.
  ///
  /// It goes on where the store is erased: the keys that were there, and those that are, are one change then, as if of
  /// another process, since the store does not note its origin. Ends when the store cannot be read any more. Cost: the
  /// suite's keys are read once, and kept in memory.
  public var changes: AsyncStream<KeyValueChange> {
    let (store, suiteName, place) = (store, suiteName, place)
    // Asked for here and not in the task, so that no commit falls between.
    let (transactions, keys) = (store.changes, Result { try Self.keys(of: suiteName, place, store) })
    return AsyncStream { continuation in
      let task = Task {
        defer { continuation.finish() }
        var (transactions, known) = (transactions, try keys.get())
        while !Task.isCancelled {
          do {
            for try await transaction in transactions {
              let keys = try Self.keys(changedIn: transaction, suite: suiteName, place, store)
              guard !keys.isEmpty else { continue }
              known.formUnion(keys)
              continuation.yield(KeyValueChange(keys: keys, origin: KeyValueChange.Origin(of: transaction, store)))
            }
            return
          } catch let error as StoreError where error.code == .historyTokenExpired {
            // The history went with all else. Any other error ends this as it ends the stream of transactions.
            transactions = store.changes
            let present = try Self.keys(of: suiteName, place, store)
            if !known.isEmpty || !present.isEmpty {
              continuation.yield(KeyValueChange(keys: known.union(present), origin: .anotherProcess))
            }
            known = present
          }
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// The value of a key: as it is now, and after each commit that changed it; nil where it reads as absent.
  ///
  /// A consumer that is slow may miss values in between, never the last one. An expiry is no commit: it shows with the
  /// next change of the key. Ends when the store cannot be read any more.
  public func values(forKey key: String) -> AsyncStream<KeyValue?> {
    let changes = changes
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          continuation.yield(try value(forKey: key))
          for await change in changes where change.keys.contains(key) {
            continuation.yield(try value(forKey: key))
          }
        } catch {
          Log.error("the value of a key of \(suiteName) cannot be followed any more: \(error)")
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private static func keys(
    of suite: String, _ place: KeyValueEntry.Place, _ store: RecordStore
  ) throws -> Set<String> {
    Set(try store.read { try $0.keyValues(prefix: "", suite: suite, in: place).map(\.key) })
  }

  private static func keys(
    changedIn transaction: StoreTransaction, suite: String, _ place: KeyValueEntry.Place, _ store: RecordStore
  ) throws -> Set<String> {
    let changes = transaction.changes.filter { $0.entity == place.entity }
    guard !changes.isEmpty else { return [] }
    let names = try store.read { snapshot in
      try changes.compactMap { change -> (suite: String, key: String)? in
        if change.kind == .delete { return change.names(place) }
        // Nil where the key was removed since: its removal is a change of its own.
        return try snapshot.record(change.id, of: place.entity)
          .flatMap { KeyValueEntry($0, place) }.map { ($0.suite, $0.key) }
      }
    }
    return Set(names.filter { $0.suite == suite }.map(\.key))
  }
}

extension KeyValueChange.Origin {
  init(of transaction: StoreTransaction, _ store: RecordStore) {
    self =
      transaction.isMerge
      ? .anotherDevice : store.ownTransactions.contains(transaction) ? .thisProcess : .anotherProcess
  }
}

extension StoreChange {
  /// Suite and key of a deleted entry.
  func names(_ place: KeyValueEntry.Place) -> (suite: String, key: String)? {
    func text(_ field: CatalogueField) -> String? {
      guard case .string(let text) = preserved.first(where: { $0.ordinal == field.ordinal })?.value else { return nil }
      return text
    }
    guard let suite = text(place.suite), let key = text(place.key) else { return nil }
    return (suite, key)
  }
}
