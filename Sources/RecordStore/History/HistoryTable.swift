import LMDB

/// Reading of tables `history` (number u64, most significant byte first -> entry) and `dots` (replica u64,
/// sequence u64 -> number u64 and stamp).
struct HistoryTable {
  private let view: TransactionView
  private let databases: NamedDatabases

  init(_ view: TransactionView, _ layout: StoreLayout) {
    self.view = view
    databases = layout.databases
  }

  static func key(_ number: UInt64) -> [UInt8] {
    var key: [UInt8] = []
    key.append(bigEndian: number)
    return key
  }

  static func dotKey(_ dot: Dot) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(16)
    key.append(bigEndian: dot.replica.value)
    key.append(bigEndian: dot.sequence)
    return key
  }

  static func dotValue(number: UInt64, stamp: Stamp) -> [UInt8] {
    [UInt8](byteCount: 8 + Stamp.byteCount) { writer in
      writer.write(number)
      writer.write(stamp)
    }
  }

  func entry(_ number: UInt64) throws -> HistoryEntry? {
    try view.get(databases.history, key: HistoryTable.key(number)).map { try HistoryEntry(decoding: $0) }
  }

  /// The lowest number that is kept; nil if there is none.
  func firstNumber() throws -> UInt64? {
    var cursor = try view.cursor(databases.history)
    return try cursor.first()?.key.load(at: 0, as: UInt64.self).byteSwapped
  }

  /// Lends entries above `number`, oldest first, until `body` returns false.
  func forEach(after number: UInt64, _ body: (UInt64, HistoryEntry) throws -> Bool) throws {
    guard number < .max else { return }
    var cursor = try view.cursor(databases.history)
    var found = try cursor.seek(HistoryTable.key(number + 1))
    while let entry = found {
      let number = entry.key.load(at: 0, as: UInt64.self).byteSwapped
      guard try body(number, HistoryEntry(decoding: entry.value)) else { return }
      found = try cursor.next()
    }
  }

  func number(of dot: Dot) throws -> UInt64? {
    try view.get(databases.dots, key: HistoryTable.dotKey(dot)).map { $0.load(at: 0, as: UInt64.self) }
  }

  /// The transaction with a stamp: stamps of one replica rise with its sequence, so a binary search finds it. Numbers
  /// may be missing where a snapshot brought what they stand for.
  func transaction(with stamp: Stamp) throws -> HistoryTransaction? {
    var cursor = try view.cursor(databases.dots)
    let start = HistoryTable.dotKey(Dot(replica: stamp.replica, sequence: 0))
    guard let first = try cursor.seek(start), let lowest = sequence(first.key, of: stamp.replica) else { return nil }
    let end = HistoryTable.dotKey(Dot(replica: stamp.replica, sequence: .max))
    guard let last = try end.withRawBytes({ key throws in try cursor.seek(before: key) }),
      let highest = sequence(last.key, of: stamp.replica)
    else { return nil }
    var (low, high) = (lowest, highest)
    while low <= high {
      let middle = low + (high - low) / 2
      let row = try cursor.seek(HistoryTable.dotKey(Dot(replica: stamp.replica, sequence: middle)))
      guard let row, let place = sequence(row.key, of: stamp.replica), row.value.count == 8 + Stamp.byteCount else {
        return nil
      }
      let found = Stamp(encoded: row.value, at: 8)
      if found == stamp {
        let number = row.value.load(at: 0, as: UInt64.self)
        return try entry(number)?.transaction(number: number, named: stamp)
      }
      if found < stamp { low = place + 1 } else if middle == lowest { return nil } else { high = middle - 1 }
    }
    return nil
  }

  private func sequence(_ key: RawBytes, of replica: ReplicaID) -> UInt64? {
    guard key.count == 16, key.load(at: 0, as: UInt64.self).byteSwapped == replica.value else { return nil }
    return key.load(at: 8, as: UInt64.self).byteSwapped
  }
}
