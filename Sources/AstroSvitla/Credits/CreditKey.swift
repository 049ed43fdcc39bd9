/// One credit: the transaction that brought it, and its place among that transaction's credits.
public struct CreditKey: Hashable, Comparable, Sendable {
  /// The text of a ``TransactionKey``.
  public let transaction: String
  public let ordinal: Int

  public init(transaction: String, ordinal: Int) {
    self.transaction = transaction
    self.ordinal = ordinal
  }

  public static func < (left: CreditKey, right: CreditKey) -> Bool {
    (left.transaction, left.ordinal) < (right.transaction, right.ordinal)
  }
}
