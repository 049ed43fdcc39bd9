import LMDB

/// History: entries by number, the newest in ``HistoryTail``, all others in table `history` (number u64, most
/// significant byte first -> entry). Numbers follow each other without a gap.
struct HistoryTable {
  let view: TransactionView
  let databases: NamedDatabases

  init(_ view: TransactionView, _ layout: StoreLayout) {
    self.view = view
    databases = layout.databases
  }

  static func key(_ number: UInt64) -> [UInt8] {
    var key: [UInt8] = []
    key.append(bigEndian: number)
    return key
  }

  func entry(_ number: UInt64) throws -> HistoryEntry? { try bytes(of: number).map { try HistoryEntry(decoding: $0) } }

  /// An entry as it lies in the file.
  func bytes(of number: UInt64) throws -> RawBytes? {
    let found = try withUnsafeBytes(of: number.bigEndian) { key throws in
      try view.get(databases.history, key: RawBytes(key))
    }
    return try found ?? HistoryTail(view).bytes(of: number)
  }

  /// The lowest number that is kept; nil if there is none.
  func firstNumber() throws -> UInt64? {
    var cursor = try view.cursor(databases.history)
    return try cursor.first().map { Self.number($0.key) } ?? HistoryTail(view).first
  }

  /// The highest number that is kept; nil if there is none.
  func lastNumber() throws -> UInt64? {
    if let last = try HistoryTail(view).last() { return last }
    var cursor = try view.cursor(databases.history)
    return try cursor.last().map { Self.number($0.key) }
  }

  /// Lends entries above `number`, oldest first, until `body` returns false.
  func forEach(after number: UInt64, _ body: (UInt64, HistoryEntry) throws -> Bool) throws {
    try forEachEntry(after: number) { try body($0, HistoryEntry(decoding: $1)) }
  }

  /// As ``forEach(after:_:)``, with entries as they lie in the file.
  func forEachEntry(after number: UInt64, _ body: (UInt64, RawBytes) throws -> Bool) throws {
    guard number < .max else { return }
    let tail = try HistoryTail(view)
    // Mostly all that is new is there.
    if tail.first.map({ $0 > number + 1 }) ?? true {
      var cursor = try view.cursor(databases.history)
      var found = try cursor.seek(HistoryTable.key(number + 1))
      while let entry = found {
        guard try body(Self.number(entry.key), entry.value) else { return }
        found = try cursor.next()
      }
    }
    try tail.forEach { newer, entry in try newer <= number || body(newer, entry) }
  }

  private static func number(_ key: RawBytes) -> UInt64 { key.load(at: 0, as: UInt64.self).byteSwapped }
}

// Writing.
extension HistoryTable {
  /// Appends an entry behind all others, with what other devices are told of it; nothing of that is left.
  static func append(
    _ entry: HistoryEntry, draining outgoing: inout OutgoingBytes, number: UInt64, _ layout: StoreLayout,
    in transaction: borrowing WriteTransaction
  ) throws {
    let tail = try HistoryTail(transaction.view)
    if try tail.add(entry, draining: &outgoing, number: number, layout, in: transaction) { return }
    let history = layout.databases.history
    try tail.move(to: history, in: transaction)
    // Straight into the page: a large save's entry is as large as its records.
    try key(number).withRawBytes { key throws in
      let count = entry.encodedByteCount(with: outgoing)
      try transaction.reserve(history, key: key, count: count, mode: .append) {
        var writer = ByteWriter($0)
        entry.write(to: &writer, draining: &outgoing)
      }
    }
  }

  /// Takes the oldest entries out, up to and with `number`. What may be asked of them later stays: the contexts and the
  /// names of their transactions.
  static func trim(
    through number: UInt64, _ layout: StoreLayout, in transaction: borrowing WriteTransaction
  ) throws {
    let history = layout.databases.history
    if let first = try HistoryTail(transaction.view).first, first <= number {
      try HistoryTail(transaction.view).move(to: history, in: transaction)
    }
    while let first = try HistoryTable(transaction.view, layout).firstNumber(), first <= number {
      if let entry = try HistoryTable(transaction.view, layout).entry(first) {
        try ContextTable.keep(entry, layout, in: transaction)
        if entry.seen != nil { try DotTable.keep(entry, number: first, layout, in: transaction) }
      }
      try transaction.delete(history, key: key(first))
    }
  }
}
