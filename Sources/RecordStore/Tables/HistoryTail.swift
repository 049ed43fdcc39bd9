import LMDB

/// The newest entries of history, as long as they are few and small: one plain value in the list of databases.
///
/// A commit writes the page of that list anyway, so an entry that goes there costs none. What no longer fits moves to
/// table `history` together, at the cost of one entry there. A save of one record finds room for some five.
///
/// ```
/// number of the first u64 · each entry, in the order of numbers: bytes u32 · entry
/// ```
///
/// Valid until the next write of its transaction.
struct HistoryTail {
  static let key = [UInt8]("history\0tail".utf8)
  private static let headByteCount = 8
  private static let lengthByteCount = 4
  /// LMDB gives a value of more than half a page pages of its own, which this is to spare.
  private static let maximumByteCount = 1_980

  /// Nil where there is no entry.
  private let value: RawBytes?

  init(_ view: TransactionView) throws { try self.init(view.get(.main, key: Self.key)) }

  /// The tail of a value that was found under ``key``, or none.
  init(_ value: RawBytes?) throws {
    self.value = value
    if let value, value.count <= Self.headByteCount { throw Self.damaged }
  }

  /// The number of the oldest entry here; nil if there is none.
  var first: UInt64? { value?.load(at: 0, as: UInt64.self) }

  /// The number of the newest entry here; nil if there is none.
  func last() throws -> UInt64? {
    var last: UInt64?
    try forEach { number, _ in
      last = number
      return true
    }
    return last
  }

  /// Lends the entries, oldest first, until `body` returns false. True: it never did.
  @discardableResult
  func forEach(_ body: (UInt64, RawBytes) throws -> Bool) throws -> Bool {
    guard let value, var number = first else { return true }
    var place = Self.headByteCount
    while place < value.count {
      // A damaged number may be the last that there is.
      guard place + Self.lengthByteCount <= value.count, number < .max else { throw Self.damaged }
      let start = place + Self.lengthByteCount
      let count = Int(value.load(at: place, as: UInt32.self))
      guard count <= value.count - start else { throw Self.damaged }
      guard try body(number, value.slice(start..<start + count)) else { return false }
      place = start + count
      number += 1
    }
    return true
  }

  func bytes(of number: UInt64) throws -> RawBytes? {
    guard let first, number >= first else { return nil }
    var found: RawBytes?
    try forEach { other, entry in
      found = other == number ? entry : nil
      return other != number
    }
    return found
  }

  private static var damaged: StoreError {
    StoreError(.damaged, "the end of the history is damaged: restore the store from a copy or by sync")
  }
}

// Writing.
extension HistoryTail {
  /// Puts an entry behind the others; false, with nothing changed, if there is no room.
  func add(
    _ entry: HistoryEntry, draining outgoing: inout OutgoingBytes, number: UInt64, _ layout: StoreLayout,
    in transaction: borrowing WriteTransaction
  ) throws -> Bool {
    let entryByteCount = entry.encodedByteCount(with: outgoing)
    let beforeByteCount = (value?.count ?? Self.headByteCount) - Self.headByteCount
    let byteCount = Self.headByteCount + beforeByteCount + Self.lengthByteCount + entryByteCount
    let state = try transaction.view.get(.main, key: StoreState.key)?.count ?? 0
    guard byteCount <= min(Self.maximumByteCount, layout.freeListByteCount - state) else { return false }
    let first = first ?? number
    // Nothing that is lent lasts beyond a write.
    let before = value?.slice(Self.headByteCount..<Self.headByteCount + beforeByteCount).copied() ?? []
    try Self.key.withRawBytes { key throws in
      try transaction.reserve(.main, key: key, count: byteCount) { room in
        var writer = ByteWriter(room)
        writer.write(first)
        before.withUnsafeBytes { writer.write($0) }
        writer.write(UInt32(entryByteCount))
        writer.writePart(count: entryByteCount) { entry.write(to: &$0, draining: &outgoing) }
      }
    }
    return true
  }

  /// Takes all entries to table `history`.
  func move(to history: Database, in transaction: borrowing WriteTransaction) throws {
    guard let first else { return }
    // Nothing that is lent lasts beyond a write.
    var moved: [[UInt8]] = []
    try forEach { _, entry in
      moved.append(entry.copied())
      return true
    }
    try transaction.delete(.main, key: Self.key)
    for (number, entry) in zip(first..., moved) {
      try transaction.put(history, key: HistoryTable.key(number), value: entry, mode: .append)
    }
  }

  static func removeAll(in transaction: borrowing WriteTransaction) throws {
    try transaction.delete(.main, key: key)
  }
}
