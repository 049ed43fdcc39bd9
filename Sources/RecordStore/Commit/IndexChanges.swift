import LMDB

/// The entries that one commit adds to and removes from one index, written in key order: pages fill in
/// turn, and entries beyond the last key of the tree are appended.
///
/// All keys lie one after another in one array; an entry is a place in it. The first eight bytes of each
/// key are kept as a number, which decides nearly every comparison of the sort.
struct IndexChanges {
  private struct Entry {
    let prefix: UInt64
    let start: Int
    let count: Int
    /// Of a unique entry: the value. Otherwise the key ends with the id.
    let value: RecordID?
  }

  let database: Database
  private var keys: [UInt8] = []
  private var additions: [Entry] = []
  private var removals: [Entry] = []

  init(database: Database) { self.database = database }

  mutating func add(_ key: [UInt8], value: RecordID?) { additions.append(entry(key, value)) }
  mutating func remove(_ key: [UInt8]) { removals.append(entry(key, nil)) }

  private mutating func entry(_ key: [UInt8], _ value: RecordID?) -> Entry {
    defer { keys.append(contentsOf: key) }
    var prefix: UInt64 = 0
    for position in 0..<8 { prefix = prefix << 8 | UInt64(position < key.count ? key[position] : 0) }
    return Entry(prefix: prefix, start: keys.count, count: key.count, value: value)
  }

  /// Throws LMDB's `keyExists` when a unique value has two holders.
  func write(to transaction: borrowing WriteTransaction) throws {
    try keys.withRawBytes { keys throws in
      for entry in sorted(removals, keys) { try transaction.delete(database, key: place(of: entry, in: keys)) }
      let added = sorted(additions, keys)
      guard let first = added.first else { return }
      let mode = try appendsAfterLast(first, keys, transaction) ? WriteTransaction.PutMode.append : .insert
      for entry in added { try write(entry, keys, mode, to: transaction) }
    }
  }

  private func write(
    _ entry: Entry, _ keys: RawBytes, _ mode: WriteTransaction.PutMode, to transaction: borrowing WriteTransaction
  ) throws {
    let key = place(of: entry, in: keys)
    guard let value = entry.value else {
      try transaction.put(database, key: key, value: keys.slice(0..<0), mode: mode)
      return
    }
    try value.withRawBytes { value throws in try transaction.put(database, key: key, value: value, mode: mode) }
  }

  private func appendsAfterLast(
    _ first: Entry, _ keys: RawBytes, _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    let cursor = try transaction.view.cursor(database)
    guard let last = try cursor.last() else { return true }
    return place(of: first, in: keys).compare(last.key) > 0
  }

  private func sorted(_ entries: [Entry], _ keys: RawBytes) -> [Entry] {
    entries.sorted { left, right in
      if left.prefix != right.prefix { return left.prefix < right.prefix }
      return place(of: left, in: keys).compare(place(of: right, in: keys)) < 0
    }
  }

  private func place(of entry: Entry, in keys: RawBytes) -> RawBytes {
    keys.slice(entry.start..<entry.start + entry.count)
  }
}
