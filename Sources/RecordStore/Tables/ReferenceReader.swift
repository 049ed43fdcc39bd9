import LMDB

/// Finds the holders of references by a cursor on the index over them that stays where it was.
///
/// A class, so that it can be kept beside other things. It must be let go before its transaction ends.
final class ReferenceReader {
  @exclusivity(unchecked) private var cursor: Cursor
  /// How the keys begin that name the target at hand.
  @exclusivity(unchecked) private var prefix = KeyEncoder()

  init(_ index: Database, _ view: TransactionView) throws { cursor = try view.cursor(index) }

  /// The first record that refers to `target`.
  func first(to target: RecordID) throws -> RecordID? {
    prefix.removeAll()
    prefix.append(.reference(target))
    return try holder(try prefix.withRawBytes { prefix throws in try cursor.seek(prefix) })
  }

  /// The next one.
  func next() throws -> RecordID? { try holder(try cursor.next()) }

  private func holder(_ entry: Cursor.Entry?) throws -> RecordID? {
    guard let entry, prefix.withRawBytes({ entry.key.hasPrefix($0) }) else { return nil }
    return try IndexKey.recordID(key: entry.key, value: entry.value)
  }
}
