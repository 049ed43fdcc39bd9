public import RecordStore
import Synchronization

extension KeyValueStore {
  /// The suites that a store holds, with how many keys each has; none where the store has no room for keys and values.
  ///
  /// Keys that have expired and were not removed count. Cost: reads all entries.
  ///
  /// - Throws: `StoreError` where the store cannot be read.
  public static func suites(in store: RecordStore) throws -> [String: Int] {
    try store.read { snapshot in
      guard let place = KeyValueEntry.Place(in: snapshot.catalogue) else { return [:] }
      let entries = try snapshot.fetch(RecordQuery(entity: place.entity)).compactMap { KeyValueEntry($0, place) }
      return Dictionary(entries.map { ($0.suite, 1) }, uniquingKeysWith: +)
    }
  }

  /// A suite in a store of its own, opened once in this process and then kept open.
  ///
  /// - Throws: What ``init(suiteName:isReadOnly:)`` throws; the next call tries again.
  public static func shared(suiteName: String? = nil) throws -> KeyValueStore {
    let name = suiteName ?? StorePlace.appIdentity
    // Under the lock, so that two threads do not open two.
    return try opened.withLock { opened in
      if let store = opened[name] { return store }
      let store = try KeyValueStore(suiteName: suiteName)
      opened[name] = store
      return store
    }
  }

  private static let opened = Mutex<[String: KeyValueStore]>([:])
}

/// The key and the suite of a record, for code that reads stores without handles: conflict logs, inspection.
package struct KeyValueName: Hashable, Sendable {
  package let suite: String
  package let key: String

  /// The name of the entity whose records are meant.
  package static let entityName = KeyValueEntry.entityName

  /// Nil for a record of another entity, and for one of which neither the store nor its history knows the name. Cost:
  /// one look-up; of a deleted record a reading of the history.
  package init?(of id: RecordID, in snapshot: borrowing StoreSnapshot) throws {
    guard let place = KeyValueEntry.Place(in: snapshot.catalogue) else { return nil }
    if let entry = try snapshot.record(id, of: place.entity).flatMap({ KeyValueEntry($0, place) }) {
      (suite, key) = (entry.suite, entry.key)
      return
    }
    let kept = try snapshot.history(after: snapshot.firstReadableNumber - 1)
    let deletes = kept.flatMap(\.changes).filter { $0.id == id && $0.kind == .delete }
    guard let names = deletes.lazy.compactMap({ $0.names(place) }).first else { return nil }
    (suite, key) = names
  }
}
