/// How buying ended.
public enum PurchaseOutcome: Hashable, Sendable {
  /// Paid and delivered. `isFinished` is false where the App Store could not be told; it is told later.
  case completed(DeliveryOutcome, isFinished: Bool)
  /// Waits for somebody's approval; the credits come by themselves.
  case pending
  /// The person stopped it: say nothing.
  case cancelled
}
