import RecordStore

/// The look-ups that a context has just made, for the next time.
struct RecentLookUps {
  /// The class of the object that was inserted last.
  var lastInserted: EntityBinding?
  /// The class that was fetched last.
  var lastFetched: EntityBinding?
  /// The memory of keys that are looked up.
  var key = KeyEncoder()
}
