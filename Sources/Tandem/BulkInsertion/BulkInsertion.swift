/// The outcome of an insertion by `ModelContext.insertAll`.
///
/// ```swift
/// func show(_ progress: BulkProgress) { print("\(progress.rows) read, \(progress.saved) saved") }
/// let result: BulkInsertion = try context.insertAll(Receipt.self, lines, progress: show) { line, receipt in
///   receipt.number = line.number
///   receipt.shop = line.shop
///   receipt.amount = line.amount
/// }
/// print("\(result.inserted) new, \(result.updated) changed")
/// ```
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
