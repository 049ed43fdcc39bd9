public import Foundation
import RecordStore

/// What a save did, for its notification.
struct SaveSummary {
  private var inserted: [PersistentIdentifier] = []
  private var updated: [PersistentIdentifier] = []
  private var deleted: [PersistentIdentifier] = []

  mutating func add(_ result: SaveResult, _ part: PendingChanges, _ store: StoreBinding, _ core: ContainerCore) {
    for change in result.changes {
      guard let id = PersistentIdentifier(change, store, core) else { continue }
      switch change.kind {
      case .insert: inserted.append(id)
      case .update: updated.append(id)
      case .delete: deleted.append(id)
      }
    }
  }

  var userInfo: [AnyHashable: Any] {
    [
      ModelContext.NotificationKey.insertedIdentifiers.rawValue: inserted,
      ModelContext.NotificationKey.updatedIdentifiers.rawValue: updated,
      ModelContext.NotificationKey.deletedIdentifiers.rawValue: deleted,
    ]
  }
}

extension PersistentIdentifier {
  /// Nil for records that no class shows, such as the links of many-to-many relationships.
  init?(_ change: HistoryChange, _ store: StoreBinding, _ core: ContainerCore) {
    guard let binding = core.binding(of: change.entity, in: store.index) else { return nil }
    self.init(
      recordID: change.id, entityName: binding.description.name, storeIdentifier: store.identifier)
  }
}

extension ModelContext {
  /// Posted before a save that has something to do; the object is the context.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// Posted after it, with the identifiers of what changed, effects of delete rules included.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// Keys of ``didSave``'s user info, by raw value; the values are arrays of ``PersistentIdentifier``.
  public enum NotificationKey: String, Sendable {
    case queryGeneration, insertedIdentifiers, updatedIdentifiers, deletedIdentifiers, invalidatedAllIdentifiers
    case historyTokens
  }
}
