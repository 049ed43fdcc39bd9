import LMDB

/// The transactions that readers of history are told to forget: the front, as far as nothing there stays, and single
/// ones behind it.
///
/// A token from before the deleted front has expired. Transactions behind one that stays are left out, and every token
/// stays good: a reader that goes on from it misses nothing but what was to be forgotten.
package struct HistoryCut: Equatable, Sendable {
  private var front: UInt64 = 0
  private var gaps = HistoryGaps()
  private var isAtFront = true

  package init() {}

  package var isEmpty: Bool { front == 0 && gaps.isEmpty }

  /// Takes the next transaction of the history, from the oldest on.
  package mutating func add(_ number: UInt64, isDeleted: Bool) {
    switch (isDeleted, isAtFront) {
    case (true, true): front = number
    case (true, false): gaps.insert(number)
    case (false, _): isAtFront = false
    }
  }

  /// The cut, with what was cut before.
  package func attachments(_ snapshot: borrowing StoreSnapshot) throws -> [StoreAttachment] {
    let floor = max(front, try snapshot.historyFloor)
    var all = try snapshot.historyGaps
    all.formUnion(gaps)
    // Nobody asks for those that were trimmed either.
    all.remove(through: max(floor, try snapshot.firstReadableNumber - 1))
    return floor > 0 ? [.historyFloor(floor), all.attachment] : [all.attachment]
  }
}
