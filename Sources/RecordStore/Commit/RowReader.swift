import LMDB

/// Finds the rows of one table by a cursor that stays where it was, for looks that mostly come in key order: a row near
/// the last one costs a search in its page instead of the way down the tree.
///
/// A class, so that it can be kept beside other things. It must be let go before its transaction ends.
final class RowReader {
  private let cursor: Cursor

  init(_ records: Database, _ view: TransactionView) throws { cursor = try view.cursor(records) }

  func row(_ id: RecordID) throws -> RawBytes? {
    try id.withRawBytes { key throws in try cursor.seek(exactly: key)?.value }
  }
}
