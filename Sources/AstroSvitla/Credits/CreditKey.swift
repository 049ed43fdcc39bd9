/// One credit: the transaction that brought it, and its place among that transaction's credits.
public struct CreditKey: Hashable, Comparable, Sendable {
  /// The text of a ``TransactionKey``.
  public let transaction: String
  /// 0 up to the credits that the transaction brought, less one.
  public let ordinal: Int

  /// Creates a key from its parts.
  public init(transaction: String, ordinal: Int) {
    self.transaction = transaction
    self.ordinal = ordinal
  }

  /// By transaction, then by place in it.
  public static func < (left: CreditKey, right: CreditKey) -> Bool {
    (left.transaction, left.ordinal) < (right.transaction, right.ordinal)
  }
}
