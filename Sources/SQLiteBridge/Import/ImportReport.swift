/// The outcome of an import.
public struct ImportReport: Hashable, Sendable {
  /// Records that are new in the store.
  public var inserted: Int
  /// Records that were there and have other values now.
  public var updated: Int
  /// Records that were there with the same values.
  public var unchanged: Int
  /// The store's transaction; 0 if nothing was saved.
  public var transaction: UInt64
  /// Sentences about all that was left out or taken in another way.
  public var notes: [String]

  /// Creates a report from its parts.
  public init(
    inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, transaction: UInt64 = 0, notes: [String] = []
  ) {
    (self.inserted, self.updated, self.unchanged) = (inserted, updated, unchanged)
    (self.transaction, self.notes) = (transaction, notes)
  }
}
