import LMDB

/// Which records a higher layer keeps an attachment for, asked in the order of entity and id: the cursor only ever goes
/// on, and stands still where there is nothing.
struct ReportedRecords: ~Copyable {
  private var cursor: Cursor
  private let prefix: [UInt8]
  /// The next one that has an attachment; nil: none has.
  private var next: RecordKey?

  init(_ prefix: [UInt8], _ layout: StoreLayout, _ view: TransactionView) throws {
    var opened = try view.cursor(layout.databases.attachments)
    next = try Self.first(from: RecordKey(entity: 0, id: RecordID(high: 0, low: 0)), prefix, &opened)
    self.prefix = prefix
    cursor = opened
  }

  mutating func contains(_ key: RecordKey) throws -> Bool {
    guard let found = next else { return false }
    if found < key { next = try Self.first(from: key, prefix, &cursor) }
    return next == key
  }

  private static func first(from key: RecordKey, _ prefix: [UInt8], _ cursor: inout Cursor) throws -> RecordKey? {
    let start = prefix + HiddenTable.key(key)
    guard let found = try cursor.seek(start), found.key.count >= start.count,
      prefix.withRawBytes({ found.key.hasPrefix($0) })
    else { return nil }
    return HiddenTable.recordKey(found.key.slice(prefix.count..<start.count))
  }
}
