import CLMDB
import Synchronization

/// Read transactions that are reset and renewed instead of ended and begun, which spares a search of
/// the reader table each time. Taking one costs an exchange of one word, without a lock.
// @unchecked: the seats never change, and each reader belongs to the thread in its `owner`.
final class ReaderPool: @unchecked Sendable {
  typealias Reader = TransactionState.Reference

  /// An idle reader keeps one of the slots that all processes share, so the pool is small.
  private static let seatCount = 16
  /// Two cache lines, as processors fetch them in pairs: threads must not share what they write.
  private static let seatBytes = 128

  private let seats: [Reader]

  init() {
    seats = (0..<Self.seatCount).map { _ in
      // A raw pointer, because only raw memory can be given an alignment.
      let seat = UnsafeMutableRawPointer.allocate(byteCount: Self.seatBytes, alignment: Self.seatBytes)
        .bindMemory(to: TransactionState.self, capacity: 1)
      seat.initialize(to: TransactionState(isPooled: true))
      return seat
    }
  }

  deinit {
    for seat in seats {
      seat.deinitialize(count: 1)
      seat.deallocate()
    }
  }

  /// A reader for this thread, the same as last time where possible; nil when all are taken.
  func take(for thread: UInt) -> Reader? {
    // Thread ids are addresses of equal distance; the product spreads them.
    let first = Int(truncatingIfNeeded: (thread &* 0x9e37_79b9_7f4a_7c15) >> 32)
    for step in 0..<Self.seatCount {
      let seat = seats[(first &+ step) & (Self.seatCount - 1)]
      let (isTaken, _) = seat.pointee.owner.compareExchange(
        expected: 0, desired: thread, ordering: .sequentiallyConsistent)
      if isTaken { return seat }
    }
    return nil
  }

  /// How many readers a thread has.
  func count(of thread: UInt) -> Int {
    seats.count { $0.pointee.owner.load(ordering: .sequentiallyConsistent) == thread }
  }

  var isIdle: Bool { count(of: 0) == Self.seatCount }

  /// Ends all pooled transactions; nobody uses the environment any more.
  func discardAll() {
    for seat in seats { Self.discard(seat) }
  }

  static func discard(_ reader: Reader) {
    guard let transaction = reader.pointee.transaction else { return }
    mdb_txn_abort(transaction)
    reader.pointee.transaction = nil
  }
}
