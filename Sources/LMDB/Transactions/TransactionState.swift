import Synchronization

/// The environment's knowledge of one transaction: a reader, or the writer.
///
/// The memory lives as long as the environment, so a view that outlived its transaction finds another
/// serial here instead of freed memory, and debug builds stop with a sentence.
@usableFromInline
struct TransactionState: ~Copyable {
  // A pointer, because views, pool and environment share one state without counting references.
  @usableFromInline typealias Reference = UnsafeMutablePointer<TransactionState>

  /// LMDB's transaction: for a pooled reader kept between uses, for the writer the innermost one.
  @usableFromInline var transaction: OpaquePointer?
  /// The serial of the running transaction, zero when none runs.
  @usableFromInline var serial: UInt64 = 0
  private var lastSerial: UInt64 = 0
  /// For a reader, the thread that has it; zero when nobody has.
  let owner = Atomic<UInt>(0)
  /// Whether the reader keeps its transaction between uses.
  let isPooled: Bool

  init(isPooled: Bool) { self.isPooled = isPooled }

  mutating func start() {
    lastSerial += 1
    serial = lastSerial
  }
}
