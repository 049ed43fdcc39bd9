public import Foundation
import RecordStore

/// The effect of a save, for its notification.
struct SaveSummary {
  private var inserted: [PersistentIdentifier] = []
  private var updated: [PersistentIdentifier] = []
  private var deleted: [PersistentIdentifier] = []
  // Mostly there is one store, and an empty dictionary takes longer to grow than one with room to be made.
  private var tokens = [String: DefaultHistoryToken](minimumCapacity: 1)
  /// Whether no store has saved anything yet.
  private(set) var isEmpty = true

  mutating func add(_ result: SaveResult, _ classes: ChangedClasses, _ store: StoreBinding) {
    isEmpty = false
    if result.number > 0, store.foreign == nil {
      tokens[store.identifier] = DefaultHistoryToken([store.identifier: Int64(clamping: result.number)])
    }
    for index in result.changes.indices {
      guard let id = classes.identifier(of: result.changes[index].id, result.changes[index].entity) else { continue }
      switch result.changes[index].kind {
      case .insert: inserted.append(id)
      case .update: updated.append(id)
      case .delete: deleted.append(id)
      }
    }
  }

  var userInfo: [AnyHashable: Any] {
    Self.keys.mapValues { key in
      switch key {
      case .historyTokens: tokens
      case .queryGeneration: token
      case .insertedIdentifiers: inserted
      case .updatedIdentifiers: updated
      case .deletedIdentifiers, .invalidatedAllIdentifiers: deleted
      }
    }
  }

  /// The place behind the save in all stores that it wrote.
  private var token: DefaultHistoryToken {
    tokens.values.reduce(DefaultHistoryToken?.none) { $0?.reaching($1) ?? $1 } ?? DefaultHistoryToken([:])
  }

  /// Made once: hashing and comparing the keys would take a tenth of a small save, and other values under the same keys
  /// take neither.
  // Texts in `AnyHashable`, never changed.
  nonisolated(unsafe) private static let keys: [AnyHashable: ModelContext.NotificationKey] = {
    let keys: [ModelContext.NotificationKey] = [
      .historyTokens, .queryGeneration, .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers,
    ]
    return Dictionary(uniqueKeysWithValues: keys.map { (AnyHashable($0.rawValue), $0) })
  }()
}

extension ModelContext {
  /// Posted before a save that has something to do; the object is the context.
  ///
  /// What an observer changes is saved with the rest. It may save, too, which is not announced again; before a once
  /// transaction that is refused. After a rollback by an observer nothing is saved, and ``didSave`` is not posted.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// Posted after it, with the identifiers of what changed, effects of delete rules included.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// Keys of ``didSave``'s user info, by raw value. The raw values are SwiftData's, because many apps write them as
  /// texts: `userInfo?["inserted"]`.
  ///
  /// ```swift
  /// let observer = NotificationCenter.default.addObserver(
  ///   forName: ModelContext.didSave, object: context, queue: nil
  /// ) { notification in
  ///   let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
  ///   added += notification.userInfo?[key] as? [PersistentIdentifier] ?? []
  /// }
  /// ```
  public enum NotificationKey: String, Sendable {
    /// The ``DefaultHistoryToken`` behind the save, in all stores that it wrote.
    case queryGeneration
    /// An array of ``PersistentIdentifier``.
    case insertedIdentifiers = "inserted"
    /// An array of ``PersistentIdentifier``.
    case updatedIdentifiers = "updated"
    /// An array of ``PersistentIdentifier``.
    case deletedIdentifiers = "deleted"
    /// Not posted: no save invalidates every identifier.
    case invalidatedAllIdentifiers
    /// By store identifier, the ``DefaultHistoryToken`` of the save's transaction there.
    case historyTokens
  }
}
