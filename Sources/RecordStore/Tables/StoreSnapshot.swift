package import LMDB

/// One consistent state of a store, lent to a closure.
///
/// It cannot leave the closure. Everything that it returns is a copy, so results may be kept. Pages that it
/// sees are not reused while it lives: keep the closure short.
public struct StoreSnapshot: ~Copyable {
  package let transaction: TransactionView
  package let layout: StoreLayout
  /// Equal in snapshots between which nobody committed; nil inside of a write, where the same transaction sees more and
  /// more.
  package let commitID: UInt64?

  // Not inlined: the optimiser of Swift 6.3.1 aborts (GenericSpecializer, `forwardToInit`) when it clones a generic
  // closure in which this noncopyable value is put together.
  @inline(never)
  package init(transaction: TransactionView, layout: StoreLayout, commitID: UInt64? = nil) {
    self.transaction = transaction
    self.layout = layout
    self.commitID = commitID
  }

  /// The store's knowledge of its entities, as of this snapshot.
  public var catalogue: Catalogue { layout.catalogue }
}
