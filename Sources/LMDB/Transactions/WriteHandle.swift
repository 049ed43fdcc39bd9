import CLMDB

/// The running write transaction as an object, for work that comes in several calls: a migration whose steps are
/// somebody else's closures.
///
/// Belongs to the thread that runs the write closure, and ends with `end()`. A use on another thread or
/// afterwards throws `badTransaction`.
// @unchecked: the thread is compared before anything else is touched, so all other members belong to that thread.
public final class WriteHandle: @unchecked Sendable {
  private let thread = currentThread()
  private var context: WriteContext?

  fileprivate init(_ context: WriteContext) { self.context = context }

  /// Whether the calling thread may use the transaction, now.
  public var isUsable: Bool { thread == currentThread() && context != nil }

  /// Lends the innermost transaction.
  public func withTransaction<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
    guard thread == currentThread(), let context else {
      throw LMDBError(
        .badTransaction, operation: "use a lent write transaction", detail: "it is over, or belongs to another thread")
    }
    return try body(WriteTransaction(context: context))
  }

  fileprivate func end() { context = nil }
}

extension WriteTransaction {
  /// Lends this transaction as an object until `body` returns.
  public func lend<Result>(_ body: (WriteHandle) throws -> Result) rethrows -> Result {
    let handle = WriteHandle(context)
    defer { handle.end() }
    return try body(handle)
  }
}
