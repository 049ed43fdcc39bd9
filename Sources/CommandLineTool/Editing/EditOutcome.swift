import RecordStore
import StoreInspection

/// Changes of records as one commit made them, or would make them: those that were asked for, and all that the rules
/// of the schema add to them.
struct EditOutcome: Error {
  /// The number in history; 0 where nothing changed.
  var transaction: UInt64
  private var texts: [ChangeText]

  init(_ result: SaveResult, in catalogue: Catalogue) {
    transaction = result.number
    texts = result.changes.map { ChangeText(change: $0, catalogue: catalogue) }
  }

  var changes: [HistoryChange] { texts.map(\.change) }

  /// How many records go; the links of many-to-many relationships are no records of their own.
  var deletedCount: Int { texts.count { $0.change.kind == .delete && !$0.isLink } }

  /// `3 records (2 Item, 1 List), 1 link`.
  var deletions: String {
    let parts = [
      counted(.delete, isLink: false, "record"), counted(.delete, isLink: true, "link"),
    ].compactMap(\.self)
    return parts.isEmpty ? "no record" : parts.joined(separator: ", ")
  }

  /// `1 record (1 Label)`: those that stay, but lead to a deleted one no longer; nil without any.
  var updates: String? { counted(.update, isLink: false, "record") }

  private func counted(_ kind: HistoryChange.Kind, isLink: Bool, _ noun: String) -> String? {
    let found = texts.filter { $0.change.kind == kind && $0.isLink == isLink }
    guard !found.isEmpty else { return nil }
    let names = Dictionary(grouping: found, by: \.entityName).map { "\($0.value.count) \($0.key)" }.sorted()
    return DisplayText.count(found.count, noun) + (isLink ? "" : " (\(names.joined(separator: ", ")))")
  }

  var changesJSON: JSON { .array(texts.map(\.json)) }
}

extension ChangeText {
  fileprivate var isLink: Bool {
    catalogue.entities.indices.contains(change.entity) && catalogue.entities[change.entity].isJoin
  }
}
