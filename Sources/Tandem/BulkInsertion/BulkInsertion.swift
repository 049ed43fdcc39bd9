/// The outcome of an insertion by `ModelContext.insertAll`.
public struct BulkInsertion: Hashable, Sendable {
  /// How many rows were taken, all of which are saved.
  public internal(set) var rows = 0
  /// How many of them became new values of a record that had one of their unique values, in the store or by an earlier
  /// row.
  public internal(set) var updated = 0
  /// How many saves they were.
  public internal(set) var saves = 0

  /// How many rows became records of their own.
  public var inserted: Int { rows - updated }
}
