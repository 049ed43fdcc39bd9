import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The numbers of history, and what readers get of it after some of it was trimmed or forgotten.
struct HistoryTrimTests {
  /// How far history reaches: all in the tail, or most of it in its table.
  static let lengths = [1, 3, 40]

  private func withHistory(_ count: Int, _ body: (RecordStore) throws -> Void) throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      for number in 1...UInt64(count) {
        try store.save(names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
      }
      try body(store)
    }
  }

  private func numbers(after number: UInt64, limit: Int? = nil, in store: RecordStore) throws -> [UInt64] {
    try store.read { try $0.history(after: number, limit: limit).map(\.number) }
  }

  private func code(after number: UInt64, in store: RecordStore) -> StoreError.Code? {
    storeErrorCode { _ = try store.read { try $0.history(after: number) } }
  }

  @Test(arguments: lengths) func `history is read from any number on, as much as is asked for`(count: Int) throws {
    try withHistory(count) { store throws in
      let last = UInt64(count)
      #expect(try store.read { try $0.lastTransactionNumber } == last)
      for number in 0...last {
        let all = Array((number + 1)..<(last + 1))
        #expect(try numbers(after: number, in: store) == all)
        for limit in [0, 1, 2, count, count + 1] {
          #expect(try numbers(after: number, limit: limit, in: store) == Array(all.prefix(limit)))
        }
      }
      // A number that comes later has nothing behind it yet.
      for number in [last + 1, last + 100, .max] { #expect(try numbers(after: number, in: store).isEmpty) }
    }
  }

  @Test(arguments: lengths) func `each cut leaves what is behind it, and expires the tokens before it`(
    count: Int
  ) throws {
    // The ends, and the middle.
    for cut in Set([0, 1, UInt64(count) / 2, UInt64(count - 1), UInt64(count)]).sorted() {
      try withHistory(count) { store throws in
        let last = UInt64(count)
        let before = try store.read { try $0.versionVector }
        try store.trimHistory(through: cut)
        #expect(try store.read { try $0.lastTransactionNumber } == last, "numbers go on")
        #expect(try store.read { try $0.versionVector } == before)
        #expect(try store.read { try $0.firstReadableNumber } == cut + 1)
        for number in 0...last {
          // Behind the last one nothing is missing, however much was trimmed.
          let isExpired = number < cut && number < last
          #expect(code(after: number, in: store) == (isExpired ? .historyTokenExpired : nil), "after \(number)")
          guard !isExpired else { continue }
          #expect(try numbers(after: number, in: store) == Array((number + 1)..<(last + 1)))
        }
      }
    }
  }

  @Test func `the error of a token that expired says where to go on`() throws {
    try withHistory(5) { store throws in
      try store.trimHistory(through: 3)
      let error = #expect(throws: StoreError.self) { _ = try store.read { try $0.history(after: 1) } }
      #expect(error?.code == .historyTokenExpired)
      #expect(
        error?.message
          == "the history after transaction 1 has been trimmed up to 3: read the records anew and go on from "
          + "transaction 5")
    }
  }

  /// What a cut leaves is the same whatever cuts came before.
  static let cuts: [(cuts: [UInt64], left: [UInt64])] = [
    ([], [1, 2, 3, 4, 5, 6]), ([0], [1, 2, 3, 4, 5, 6]), ([1], [2, 3, 4, 5, 6]), ([3], [4, 5, 6]),
    ([1, 3], [4, 5, 6]), ([3, 1], [4, 5, 6]), ([3, 3], [4, 5, 6]), ([5], [6]), ([6], []), ([7], []), ([.max], []),
    ([6, 2], []),
  ]

  @Test(arguments: cuts) func `a cut is as far as the farthest, and beyond the end it is the end`(
    cuts: [UInt64], left: [UInt64]
  ) throws {
    try withHistory(6) { store throws in
      for cut in cuts { try store.trimHistory(through: cut) }
      #expect(try numbers(after: 6 - UInt64(left.count), in: store) == left)
      let names = try FixtureNames(store)
      try store.save(names.insert("Tag", fixtureID(70), ["name": .string("later")]))
      #expect(try numbers(after: 6, in: store) == [7], "the next transaction has the next number")
    }
  }

  @Test(arguments: lengths) func `what was trimmed is still known by name`(count: Int) throws {
    try withHistory(count) { store throws in
      let named = try store.read { try $0.history(after: 0).map { ($0.number, $0.dot, $0.stamp) } }
      try store.trimHistory(through: UInt64(count))
      try store.read { snapshot throws in
        let table = HistoryTable(snapshot.transaction, snapshot.layout)
        for (number, dot, stamp) in named {
          #expect(try table.number(of: dot) == number)
          let found = try snapshot.historyTransaction(with: stamp)
          #expect(found == nil, "its entry is gone")
        }
      }
    }
  }

  @Test func `a trimmed transaction of another device does not come again`() throws {
    let family = try ReplicaFamily(count: 2)
    let names = try FixtureNames(family.stores[0].store)
    for number in 1...5 {
      try family.stores[1].store.save(names.insert("Tag", fixtureID(UInt64(number)), ["name": .string("\(number)")]))
    }
    try family.pull(into: 0, from: 1)
    let store = family.stores[0].store
    let (last, dump) = (try store.read { try $0.lastTransactionNumber }, try family.dump(0))
    try store.trimHistory(through: last)
    let again = try family.outgoing(of: 1, after: 0)
    #expect(storeErrorCode { try family.merge(again, into: 0) } == .invalidRequest)
    #expect(try store.read { try $0.lastTransactionNumber } == last)
    #expect(try family.dump(0) == dump)
    try family.check()
  }

  /// The floor and the gaps forget for readers what devices still need.
  private func forget(_ deleted: Set<UInt64>, in store: RecordStore) throws {
    _ = try store.commit { snapshot throws in
      var cut = HistoryCut()
      for number in 1...(try snapshot.lastTransactionNumber) { cut.add(number, isDeleted: deleted.contains(number)) }
      return (SaveRequest(attachments: try cut.attachments(snapshot)), ())
    }
  }

  static let forgotten: [(deleted: Set<UInt64>, floor: UInt64, gaps: [UInt64])] = [
    ([], 0, []), ([1], 1, []), ([1, 2, 3], 3, []), ([2], 0, [2]), ([1, 3], 1, [3]), ([2, 3, 5], 0, [2, 3, 5]),
    ([1, 2, 4, 6], 2, [4, 6]), ([6], 0, [6]), ([1, 2, 3, 4, 5, 6], 6, []),
  ]

  @Test(arguments: forgotten) func `what is forgotten at the front is a floor, and behind it a gap`(
    deleted: Set<UInt64>, floor: UInt64, gaps: [UInt64]
  ) throws {
    try withHistory(6) { store throws in
      try forget(deleted, in: store)
      try store.read { snapshot throws in
        #expect(try snapshot.historyFloor == floor)
        #expect(try snapshot.firstReadableNumber == floor + 1)
        let found = try snapshot.historyGaps
        #expect((1...6).filter(found.contains) == gaps && found.isEmpty == gaps.isEmpty)
      }
      // The entries stay, for other devices and for contexts.
      #expect(try numbers(after: 0, in: store).prefix(6) == [1, 2, 3, 4, 5, 6])
      #expect(
        try store.read { snapshot throws in
          var count = 0
          try snapshot.forEachOutgoing(after: 0) { _ in
            count += 1
            return true
          }
          return count
        } >= 6)
    }
  }

  @Test func `a trim takes the gaps with it that lie before it`() throws {
    try withHistory(6) { store throws in
      try forget([2, 5], in: store)
      try store.trimHistory(through: 3)
      try forget([], in: store)
      try store.read { snapshot throws in
        let gaps = try snapshot.historyGaps
        #expect(!gaps.contains(2) && gaps.contains(5))
      }
    }
  }

  /// Marks of another length than a number has are no marks.
  @Test(arguments: [0, 1, 7, 9]) func `a floor of another length is damaged`(count: Int) throws {
    try withHistory(1) { store throws in
      let mark = StoreAttachment(key: StoreSnapshot.historyFloorKey, value: Array(repeating: 1, count: count))
      _ = try store.commit(SaveRequest(attachments: [mark]))
      #expect(storeErrorCode { _ = try store.read { try $0.historyFloor } } == .damaged)
    }
  }

  // MARK: The tail

  private func tail(_ bytes: [UInt8]?) throws -> [(UInt64, [UInt8])] {
    var found: [(UInt64, [UInt8])] = []
    func read(_ bytes: RawBytes?) throws {
      try HistoryTail(bytes).forEach { number, entry in
        found.append((number, entry.copied()))
        return true
      }
    }
    guard let bytes else {
      try read(nil)
      return found
    }
    try bytes.withRawBytes { try read($0) }
    return found
  }

  private static func number(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
  private static func entry(_ bytes: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { Array($0) } + bytes
  }

  @Test func `a tail is its first number and its entries`() throws {
    #expect(try tail(nil).isEmpty)
    let bytes = Self.number(7) + Self.entry([1, 2]) + Self.entry([]) + Self.entry([3])
    let found = try tail(bytes)
    #expect(found.map(\.0) == [7, 8, 9] && found.map(\.1) == [[1, 2], [], [3]])
    try bytes.withRawBytes { raw throws in
      let tail = try HistoryTail(raw)
      #expect(tail.first == 7)
      #expect(try tail.last() == 9)
      #expect(try tail.bytes(of: 8)?.copied() == [] && tail.bytes(of: 9)?.copied() == [3])
      #expect(try tail.bytes(of: 6) == nil && tail.bytes(of: 10) == nil)
    }
  }

  static let damagedTails: [[UInt8]] = [
    [], [1], number(7), number(7) + [1], number(7) + [1, 0, 0], number(7) + [1, 0, 0, 0],
    number(7) + entry([1, 2]) + [1], number(7) + [3, 0, 0, 0, 1, 2], number(7) + [255, 255, 255, 255, 1],
    number(.max) + entry([1]),
  ]

  @Test(arguments: damagedTails) func `a tail of another form is damaged`(bytes: [UInt8]) {
    #expect(storeErrorCode { _ = try tail(bytes) } == .damaged)
  }
}
