/// The terms that hold for the whole of a ``CommitSession``, beside the stamp.
struct SessionTerms {
  var policy = UniquenessPolicy.upsert
  /// Transactions being merged, by stamp; empty for a local save.
  var merged: [Stamp: TransactionOrigin] = [:]
  /// Whether the facts are those of another store, and no transaction of this one's history.
  var isRestoring = false
  /// The key of a local once transaction.
  var once: OnceKey?
  /// A rule that is wrong on purpose.
  var mutation: RuleMutation?
  /// Whether updates of records that nobody knows here are kept.
  var keepsUnknownUpdates = false
  /// See ``LocalWork/dropsUpdatesOfLeaving``.
  var dropsUpdatesOfLeaving = false
  /// Numbers of unique indexes for which a duplicate is refused under every policy.
  var strictIndexes: Set<Int> = []
  /// Whether updates give life; those of a migration set values alone.
  var givesLife = true
  /// See ``MigrationWork/leavesTargets``.
  var leavesTargets = false
  /// See ``MigrationWork/newFields``.
  var newFields: NewFields?

  var isMerge: Bool { !merged.isEmpty || isRestoring }
}
