import LMDB

// Transactions by their names: in table `dots`, and in entries that say what the store had seen with them. Those are
// the newest ones, in the order of what they had seen.
extension HistoryTable {
  /// The number of the entry that brought a transaction; 0 if a dump or a snapshot did; nil if it is not known.
  func number(of dot: Dot) throws -> UInt64? { try row(of: dot)?.number }

  /// The stamp of a transaction; nil if it is not known.
  func stamp(of dot: Dot) throws -> Stamp? { try row(of: dot)?.stamp }

  /// The transaction with a stamp; nil if its entry was trimmed or never there.
  func transaction(with stamp: Stamp) throws -> HistoryTransaction? {
    let known = try DotTable(view, databases).row(with: stamp)
    let number = try known?.number ?? number(with: stamp)
    return try number.flatMap { number in try entry(number)?.transaction(number: number, named: stamp) }
  }

  /// Lends the names of a replica's transactions above a sequence number in their order, until `body` returns false.
  ///
  /// Costs a search for each entry that brought one; what lies between two of them is passed over.
  func forEachDot(
    of replica: ReplicaID, after sequence: UInt64, _ body: (DotTable.Row) throws -> Bool
  ) throws {
    let table = DotTable(view, databases)
    var entries = try EntryDots(self, of: replica, after: sequence)
    var (nextRow, nextDot) = (try table.row(of: replica, after: sequence), try entries.next())
    while let next = [nextRow, nextDot].compactMap(\.self).min(by: { $0.dot.sequence < $1.dot.sequence }) {
      // The table's, where both have it: it knows what came by a snapshot.
      guard try body(next) else { return }
      if nextRow?.dot == next.dot { nextRow = try table.row(of: replica, after: next.dot.sequence) }
      if nextDot?.dot == next.dot { nextDot = try entries.next() }
    }
  }

  private func row(of dot: Dot) throws -> DotTable.Row? {
    if let row = try DotTable(view, databases).row(of: dot) { return row }
    guard let numbers = try numbers(),
      let number = try search(numbers, { $0.seen(of: dot.replica).map { $0.sequence >= dot.sequence } })
    else { return nil }
    var row: DotTable.Row?
    try head(number)?.forEachTransaction { found, stamp in
      if found == dot { row = DotTable.Row(dot: dot, number: number, stamp: stamp) }
      return row == nil
    }
    return row
  }

  private func number(with stamp: Stamp) throws -> UInt64? {
    guard let numbers = try numbers(),
      let number = try search(numbers, { $0.seen(of: stamp.replica).map { $0.stamp >= stamp } })
    else { return nil }
    var isThere = false
    try head(number)?.forEachTransaction { _, found in
      isThere = found == stamp
      return !isThere
    }
    return isThere ? number : nil
  }
}

// Entries by what the store had seen with them.
extension HistoryTable {
  fileprivate func head(_ number: UInt64) throws -> HistoryHead? { try bytes(of: number).flatMap(HistoryHead.init) }

  /// The numbers that are kept; nil if there are none.
  fileprivate func numbers() throws -> ClosedRange<UInt64>? {
    guard let first = try firstNumber(), let last = try lastNumber(), first <= last else { return nil }
    return first...last
  }

  /// The first of some entries of which `hasSeen` is true; it stays true for all behind. Entries of earlier builds
  /// stand before all others, and do not say what they had seen.
  ///
  /// `isNear`: it is looked for near the first one first.
  fileprivate func search(
    _ numbers: ClosedRange<UInt64>, isNear: Bool = false, _ hasSeen: (HistoryHead) throws -> Bool?
  ) throws -> UInt64? {
    func isMet(_ number: UInt64) throws -> Bool { try head(number).flatMap(hasSeen) ?? false }
    guard try isMet(numbers.upperBound) else { return nil }
    // It is one of these.
    var (low, high) = (numbers.lowerBound, numbers.upperBound)
    var step: UInt64 = 0
    while isNear, step < high - low {
      if try isMet(low + step) {
        high = low + step
      } else {
        low += step + 1
        step = 2 * step + 1
      }
    }
    while low < high {
      let middle = low + (high - low) / 2
      if try isMet(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// The transactions of one replica that entries tell of, by rising sequence.
private struct EntryDots {
  private let history: HistoryTable
  private let replica: ReplicaID
  private var sequence: UInt64
  /// Where the search goes on; nil at the end.
  private var numbers: ClosedRange<UInt64>?
  private var isFirst = true
  /// The rows of the last entry that was found, the last first.
  private var rows: [DotTable.Row] = []

  init(_ history: HistoryTable, of replica: ReplicaID, after sequence: UInt64) throws {
    self.history = history
    self.replica = replica
    self.sequence = sequence
    numbers = try history.numbers()
  }

  mutating func next() throws -> DotTable.Row? {
    while rows.isEmpty {
      let (replica, known) = (replica, sequence)
      guard let numbers,
        let number = try history.search(
          numbers, isNear: !isFirst, { $0.seen(of: replica).map { $0.sequence > known } }),
        let head = try history.head(number), let seen = head.seen(of: replica)
      else { return nil }
      try head.forEachTransaction { dot, stamp in
        if dot.replica == replica, dot.sequence > known {
          rows.append(DotTable.Row(dot: dot, number: number, stamp: stamp))
        }
        return true
      }
      rows.reverse()
      sequence = seen.sequence
      self.numbers = number < numbers.upperBound ? number + 1...numbers.upperBound : nil
      isFirst = false
    }
    return rows.popLast()
  }
}
