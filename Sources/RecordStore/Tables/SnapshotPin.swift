import LMDB

/// A snapshot for code that runs inside the closure that holds it, but is not called by it.
///
/// Valid until that closure returns, on its thread; its maker drops it before then. Debug builds trap at a use
/// after the end.
package struct SnapshotPin {
  private let transaction: TransactionView
  private let layout: StoreLayout
  private let commitID: UInt64?

  package init(_ snapshot: borrowing StoreSnapshot) {
    transaction = snapshot.transaction
    layout = snapshot.layout
    commitID = snapshot.commitID
  }

  package var snapshot: StoreSnapshot {
    StoreSnapshot(transaction: transaction, layout: layout, commitID: commitID)
  }
}
