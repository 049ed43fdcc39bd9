import LMDB

// Readers of history were told to forget these entries. They stay until every device has them: they are the outbox,
// too, and other contexts and processes take their news from them.
extension StoreSnapshot {
  package static let historyFloorKey = Array("history.floor".utf8)

  /// The number up to which history was deleted for readers; 0 if it never was.
  package var historyFloor: UInt64 {
    get throws {
      guard let bytes = try attachment(StoreSnapshot.historyFloorKey) else { return 0 }
      guard bytes.count == 8 else {
        throw StoreError(.damaged, "the mark of deleted history is damaged: restore the store from a copy or by sync")
      }
      return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// The transactions above the floor that were deleted for readers.
  package var historyGaps: HistoryGaps {
    get throws { try attachment(HistoryGaps.key).map { try HistoryGaps(decoding: $0) } ?? HistoryGaps() }
  }

  /// The number of the oldest transaction that readers may have; one more than the newest if there is none.
  package var firstReadableNumber: UInt64 {
    get throws {
      let end = try lastTransactionNumber + 1
      let kept = try HistoryTable(transaction, layout).firstNumber() ?? end
      return min(end, max(kept, try historyFloor + 1))
    }
  }
}
