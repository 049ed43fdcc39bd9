public import Foundation
import RecordStore

/// What a save did, for its notification.
struct SaveSummary {
  private var inserted: [PersistentIdentifier] = []
  private var updated: [PersistentIdentifier] = []
  private var deleted: [PersistentIdentifier] = []
  private var tokens: [String: DefaultHistoryToken] = [:]

  mutating func add(_ result: SaveResult, _ classes: ChangedClasses, _ store: StoreBinding) {
    if result.number > 0, store.foreign == nil {
      tokens[store.identifier] = DefaultHistoryToken([store.identifier: Int64(clamping: result.number)])
    }
    for change in result.changes {
      guard let id = classes.identifier(of: change) else { continue }
      switch change.kind {
      case .insert: inserted.append(id)
      case .update: updated.append(id)
      case .delete: deleted.append(id)
      }
    }
  }

  var userInfo: [AnyHashable: Any] {
    [
      ModelContext.NotificationKey.historyTokens.rawValue: tokens,
      ModelContext.NotificationKey.queryGeneration.rawValue: tokens.values.max() ?? DefaultHistoryToken([:]),
      ModelContext.NotificationKey.insertedIdentifiers.rawValue: inserted,
      ModelContext.NotificationKey.updatedIdentifiers.rawValue: updated,
      ModelContext.NotificationKey.deletedIdentifiers.rawValue: deleted,
    ]
  }
}

extension ModelContext {
  /// Posted before a save that has something to do; the object is the context.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// Posted after it, with the identifiers of what changed, effects of delete rules included.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// Keys of ``didSave``'s user info, by raw value.
  public enum NotificationKey: String, Sendable {
    /// The newest ``DefaultHistoryToken`` of the save.
    case queryGeneration
    /// Arrays of ``PersistentIdentifier``.
    case insertedIdentifiers, updatedIdentifiers, deletedIdentifiers
    /// Not posted: no save invalidates every identifier.
    case invalidatedAllIdentifiers
    /// By store identifier, the ``DefaultHistoryToken`` of the save's transaction there.
    case historyTokens
  }
}
