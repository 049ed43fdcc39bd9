/// What the environment knows about one transaction: a pooled reader, or the writer.
///
/// The memory lives as long as the environment, so a view that outlived its transaction finds another
/// serial here instead of freed memory, and debug builds stop with a sentence.
@usableFromInline
struct TransactionState {
  // A pointer, because views, pool and environment share one state without counting references.
  @usableFromInline typealias Reference = UnsafeMutablePointer<TransactionState>

  /// LMDB's transaction: for a pooled reader kept between uses, for the writer the innermost one.
  @usableFromInline var transaction: OpaquePointer?
  /// The serial of the running transaction, zero when none runs.
  @usableFromInline var serial: UInt64 = 0
  private var lastSerial: UInt64 = 0

  mutating func start() {
    lastSerial += 1
    serial = lastSerial
  }
}
