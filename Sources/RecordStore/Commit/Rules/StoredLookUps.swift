/// Answers of the store that a ``CommitSession`` need not ask for twice.
struct StoredLookUps {
  /// Whether records that were only looked at are visible.
  var visibility: [RecordKey: Bool] = [:]
  /// By entity, an id behind every one of which anything is known.
  var bounds: [EntityNumber: RecordID] = [:]
  /// Numbers of indexes without entries.
  var emptyIndexes: Set<Int> = []
}
