/// A read transaction: one snapshot, pinned until the closure that borrows it returns.
///
/// Keep it short. While it lives, no page that its snapshot sees can be reused, and the file grows
/// with every commit of any process. Bytes that must outlive it are copied.
public struct ReadTransaction: ~Copyable {
  /// The snapshot, for code that reads in either kind of transaction.
  public let view: TransactionView

  @usableFromInline
  init(view: TransactionView) { self.view = view }
}
