import RecordStore

/// A context's knowledge of one store's state.
struct StorePosition {
  /// The number of the newest transaction that the objects of the context know; nil as long as there are none.
  var processed: UInt64?
  /// The commit at which ``processed`` was last compared with the store's newest.
  var compared: UInt64?
  /// Whether the objects are being brought to a newer state.
  var isTakingIn = false
  /// The context's own transactions above ``processed``.
  var own: Set<UInt64> = []
  /// By entity: rises when links that lie in its records changed under the context.
  var linkGenerations: [EntityNumber: UInt64] = [:]
}
