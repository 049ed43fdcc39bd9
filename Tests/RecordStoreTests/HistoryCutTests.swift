import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// What readers of history were told to forget, as it is kept.
struct HistoryCutTests {
  private func gaps(_ numbers: some Sequence<UInt64>) -> HistoryGaps {
    var gaps = HistoryGaps()
    for number in numbers { gaps.insert(number) }
    return gaps
  }

  private func cut(_ store: RecordStore, _ deleted: Set<UInt64>) throws {
    _ = try store.commit { snapshot throws in
      var cut = HistoryCut()
      for transaction in try snapshot.history(after: try snapshot.firstReadableNumber - 1) {
        cut.add(transaction.number, isDeleted: deleted.contains(transaction.number))
      }
      return (SaveRequest(changes: [], attachments: try cut.attachments(snapshot)), ())
    }
  }

  private func marks(_ store: RecordStore) throws -> (floor: UInt64, gaps: HistoryGaps) {
    try store.read { (try $0.historyFloor, try $0.historyGaps) }
  }

  private func fill(_ store: RecordStore, _ numbers: ClosedRange<UInt64>) throws {
    let names = try FixtureNames(store)
    for number in numbers {
      try store.save(names.insert("City", fixtureID(number), ["name": .string("\(number)")]))
    }
  }

  @Test func `every set of small numbers, and large ones, are read as they were written`() throws {
    for set in 0..<(1 << 10) {
      let list = gaps((1...10).filter { set & 1 << $0 != 0 })
      let value = list.attachment.value
      #expect((value == nil) == list.isEmpty)
      #expect(try value.map { try HistoryGaps(decoding: $0) } ?? HistoryGaps() == list)
    }
    let large = gaps([1, 127, 128, 129, 1 << 40, UInt64.max - 1])
    #expect(try HistoryGaps(decoding: #require(large.attachment.value)) == large)
    #expect(large.contains(1 << 40) && !large.contains(130))
  }

  @Test func `what is no list is damaged`() throws {
    let value = try #require(gaps([3, 4, 900]).attachment.value)
    for bytes in [Array(value.dropLast()), [1], [1, 0], [0xFF], Array(repeating: 0xFF, count: 10), value + [5]] {
      let error = #expect(throws: StoreError.self) { try HistoryGaps(decoding: bytes) }
      #expect(error?.code == .damaged)
    }
    // A run that ends behind the greatest number.
    let greatest: [UInt8] = Array(repeating: 0xFF, count: 9) + [1]
    let error = #expect(throws: StoreError.self) { try HistoryGaps(decoding: greatest + [1]) }
    #expect(error?.code == .damaged)
  }

  @Test func `cuts add up: a longer front takes the gaps that it reaches`() throws {
    try withTemporaryStore { store throws in
      try fill(store, 1...8)
      try cut(store, [3, 5, 6])
      var marks = try marks(store)
      #expect(marks.floor == 0 && marks.gaps == gaps([3, 5, 6]))
      try cut(store, [1, 2, 3, 8])
      marks = try self.marks(store)
      #expect(marks.floor == 3 && marks.gaps == gaps([5, 6, 8]))
      // What history itself lost needs no mark.
      try store.trimHistory(through: 5)
      try cut(store, [])
      marks = try self.marks(store)
      #expect(marks.floor == 3 && marks.gaps == gaps([6, 8]))
      try cut(store, [6, 7, 8])
      marks = try self.marks(store)
      #expect(marks.floor == 8 && marks.gaps.isEmpty)
      #expect(try store.read { try $0.attachment(HistoryGaps.key) } == nil)
    }
  }

  @Test func `marks move with the numbers of a restored store, and go when it is erased`() throws {
    try withTemporaryStore { store throws in
      try fill(store, 1...4)
      try cut(store, [1, 3])
      try store.goOn(after: 99)
      var marks = try marks(store)
      #expect(marks.floor == 101 && marks.gaps == gaps([103]))
      #expect(try store.read { try $0.history(after: 101).map(\.number) } == [102, 103, 104])
      try store.erase()
      marks = try self.marks(store)
      #expect(marks.floor == 0 && marks.gaps.isEmpty)
    }
  }
}
