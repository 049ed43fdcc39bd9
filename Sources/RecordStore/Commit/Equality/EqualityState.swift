/// The changes of a ``CommitSession`` to which records are one.
struct EqualityState {
  /// Ids whose canonical id this commit changes, with the new one; an id that stands for itself again names itself.
  var aliases: [RecordID: RecordID] = [:]
  /// Records as written, where this commit changes them or they differ from their rows.
  var members: [RecordKey: Member] = [:]
  /// Records whose unique values, held now or ever, this commit changes; see ``CommitSession/deriveClasses()``.
  var claimants: [RecordKey] = []
  /// Alias classes as they will be, by the key of their row, where this commit changes them.
  var classes: [RecordKey: AliasClass] = [:]
  /// The vectors of other replicas' and own transactions of claims, once looked up.
  var contexts: [Stamp: VersionVector?] = [:]
  /// Classes that this commit has put together or taken apart.
  var regrouped: [RecordClass] = []
}
