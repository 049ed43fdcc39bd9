import LMDB

/// Reads the entries of one index, as the plan of a query says.
final class IndexReader {
  private let source: QuerySource
  private let number: Int

  init(_ access: QueryPlan.IndexAccess, in source: QuerySource) {
    self.source = source
    number = access.index.number
  }

  /// The record under a key of a unique index.
  func record(at key: [UInt8]) throws -> RecordID? {
    guard let value = try source.transaction.get(try source.index(number), key: key) else { return nil }
    return try IndexKey.recordID(key: RawBytes(start: value.start, count: 0), value: value)
  }

  /// The entries of each range in the order of keys, until `body` returns false. One cursor for all: where ranges rise,
  /// it mostly stands in the next one's page.
  func forEachEntry(in ranges: [KeyRange], _ body: (Cursor.Entry) throws -> Bool) throws {
    var cursor = try source.transaction.cursor(try source.index(number))
    for range in ranges {
      var next = try cursor.first(in: range)
      while let entry = next, range.isBelowUpper(entry.key) {
        guard try body(entry) else { return }
        next = try cursor.next()
      }
    }
  }
}

extension Cursor {
  /// The first entry of a range; nil if there is none.
  mutating func first(in range: KeyRange) throws -> Entry? {
    // LMDB has no empty key to look for.
    let entry = try range.lower.isEmpty ? first() : seek(range.lower)
    return entry.flatMap { range.isBelowUpper($0.key) ? $0 : nil }
  }
}
