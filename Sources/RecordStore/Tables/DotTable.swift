import LMDB

/// Table `dots`: names of transactions that history does not tell (replica u64, sequence u64, most significant byte
/// first -> number u64 and stamp).
///
/// Those of entries that were trimmed, and of entries of earlier builds, which put every transaction here; with number
/// 0 those at which the streams of a dump or a snapshot end. All others are found in history itself; see
/// ``HistoryTable/number(of:)``.
struct DotTable {
  struct Row {
    let dot: Dot
    let number: UInt64
    let stamp: Stamp
  }

  private let view: TransactionView
  private let database: Database

  init(_ view: TransactionView, _ databases: NamedDatabases) {
    self.view = view
    database = databases.dots
  }

  static func key(_ dot: Dot) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(16)
    key.append(bigEndian: dot.replica.value)
    key.append(bigEndian: dot.sequence)
    return key
  }

  static func value(number: UInt64, stamp: Stamp) -> [UInt8] {
    [UInt8](byteCount: 8 + Stamp.byteCount) { writer in
      writer.write(number)
      writer.write(stamp)
    }
  }

  static func put(
    _ dot: Dot, number: UInt64, stamp: Stamp, _ layout: StoreLayout, in transaction: borrowing WriteTransaction
  ) throws {
    try transaction.put(layout.databases.dots, key: key(dot), value: value(number: number, stamp: stamp))
  }

  /// Keeps the names of the transactions of a history entry that is about to go.
  static func keep(
    _ entry: HistoryEntry, number: UInt64, _ layout: StoreLayout, in transaction: borrowing WriteTransaction
  ) throws {
    for member in entry.transactions {
      // A member that came by a snapshot, and is announced by one of its transactions, has its row.
      guard try DotTable(transaction.view, layout.databases).row(of: member.dot) == nil else { continue }
      try put(member.dot, number: number, stamp: member.stamp, layout, in: transaction)
    }
  }

  func row(of dot: Dot) throws -> Row? {
    try Self.key(dot).withRawBytes { key throws in
      try view.get(database, key: key).flatMap { Self.row(Cursor.Entry(key: key, value: $0)) }
    }
  }

  /// The first row of a replica above a sequence number; nil if there is none.
  func row(of replica: ReplicaID, after sequence: UInt64) throws -> Row? {
    guard sequence < .max else { return nil }
    var cursor = try view.cursor(database)
    return try cursor.seek(Self.key(Dot(replica: replica, sequence: sequence + 1))).flatMap {
      Self.row($0, of: replica)
    }
  }

  /// All rows, by replica and sequence.
  func forEach(_ body: (Row) throws -> Void) throws {
    try view.forEachKey(in: database, startingWith: []) { key, value in
      if let row = Self.row(Cursor.Entry(key: key, value: value)) { try body(row) }
    }
  }

  /// The row with a stamp: stamps of one replica rise with its sequence, so halving finds it. Numbers may be missing
  /// where a snapshot brought what they stand for.
  func row(with stamp: Stamp) throws -> Row? {
    var cursor = try view.cursor(database)
    let start = Self.key(Dot(replica: stamp.replica, sequence: 0))
    guard let first = try cursor.seek(start).flatMap({ Self.row($0, of: stamp.replica) }) else { return nil }
    let end = Self.key(Dot(replica: stamp.replica, sequence: .max))
    let last = try end.withRawBytes { key throws in try cursor.seek(before: key) }
    guard let last = last.flatMap({ Self.row($0, of: stamp.replica) }) else { return nil }
    var (low, high) = (first.dot.sequence, last.dot.sequence)
    while low <= high {
      let middle = low + (high - low) / 2
      let place = Self.key(Dot(replica: stamp.replica, sequence: middle))
      guard let found = try cursor.seek(place).flatMap({ Self.row($0, of: stamp.replica) }) else { return nil }
      if found.stamp == stamp { return found }
      if found.stamp < stamp {
        low = found.dot.sequence + 1
      } else if middle == first.dot.sequence {
        return nil
      } else {
        high = middle - 1
      }
    }
    return nil
  }

  private static func row(_ entry: Cursor.Entry, of replica: ReplicaID) -> Row? {
    row(entry).flatMap { $0.dot.replica == replica ? $0 : nil }
  }

  private static func row(_ entry: Cursor.Entry) -> Row? {
    guard entry.key.count == 16, entry.value.count == 8 + Stamp.byteCount else { return nil }
    let dot = Dot(
      replica: ReplicaID(entry.key.load(at: 0, as: UInt64.self).byteSwapped),
      sequence: entry.key.load(at: 8, as: UInt64.self).byteSwapped)
    return Row(
      dot: dot, number: entry.value.load(at: 0, as: UInt64.self), stamp: Stamp(encoded: entry.value, at: 8))
  }
}
