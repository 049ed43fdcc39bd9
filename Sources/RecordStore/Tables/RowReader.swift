import LMDB

/// Finds the rows of one table by a cursor that stays where it was, for looks that mostly come in key order: a row near
/// the last one costs a search in its page instead of the way down the tree.
///
/// A class, so that it can be kept beside other things. It must be let go before its transaction ends.
final class RowReader {
  @exclusivity(unchecked) private var cursor: Cursor
  /// How often it is still worth to look at the next row before a search: that costs a tenth, and finds what is asked
  /// for where rows come one after another.
  @exclusivity(unchecked) private var patience = RowReader.greatestPatience
  /// Whether the cursor stands on a row.
  @exclusivity(unchecked) private var isPlaced = false
  private static let greatestPatience = 8

  init(_ records: Database, _ view: TransactionView) throws { cursor = try view.cursor(records) }

  func row(_ id: RecordID) throws -> RawBytes? {
    try id.withRawBytes { key throws in
      if isPlaced, patience > 0 {
        if let next = try cursor.next(), next.key == key {
          patience = Self.greatestPatience
          return next.value
        }
        patience -= 1
      }
      let found = try cursor.seek(exactly: key)
      isPlaced = found != nil
      return found?.value
    }
  }
}
