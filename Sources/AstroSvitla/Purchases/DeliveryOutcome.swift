public import Foundation

/// What became of one transaction.
public enum DeliveryOutcome: Hashable, Sendable {
  /// Its credits are there now, and were not before.
  case delivered(TransactionKey, credits: Int)
  /// A time of a plan is there now, and was not before; reports cost no credit until it ends.
  case subscribed(TransactionKey, until: Date)
  /// It was delivered before; nothing was granted.
  case known(TransactionKey)
  /// A refund was written down; `used` of its credits had been spent.
  case revoked(TransactionKey, used: Int)
  /// A refund was reversed; its credits are back.
  case restored(TransactionKey)
  /// It was put aside.
  case quarantined(QuarantineReason)

  /// The transaction; nil for one that was put aside, which proves nothing of itself.
  public var key: TransactionKey? {
    switch self {
    case .delivered(let key, _), .subscribed(let key, _), .known(let key), .revoked(let key, _), .restored(let key):
      key
    case .quarantined: nil
    }
  }
}
