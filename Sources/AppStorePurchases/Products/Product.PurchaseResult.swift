extension Product {
  /// How a purchase ended.
  public enum PurchaseResult: Sendable {
    /// Paid. Deliver only what is verified, then finish the transaction.
    case success(VerificationResult<Transaction>)
    /// The person stopped: deliver nothing, say nothing.
    case userCancelled
    /// Waits for somebody (Ask to Buy, the bank): deliver nothing; if it is approved it arrives through
    /// ``Transaction/updates``.
    case pending
  }
}
