public import Foundation

/// What is to be done with a verified transaction: a pure function of the transaction, of what is known of it, and of
/// what the app sells. The order of the questions matters and is that of <doc:TransactionLife>.
public enum DeliveryDecision: Hashable, Sendable {
  /// Write the revocation down, taking the unused credits back; then finish. `credits` are those that the purchase had
  /// brought: where no record exists yet, one is made with them, so that a reversal gives them back.
  case revoke(credits: Int)
  /// Put it aside; do not finish.
  case quarantine(QuarantineReason)
  /// Delivered before, and nothing new is said: only finish.
  case finish
  /// Delivered before, and the refund was reversed: give the credits back, then finish. `credits` are those that the
  /// purchase brings; a record that was made when its product was not known has fewer, and gets the others now.
  case restore(credits: Int)
  /// Write the record, the credits and the note in one commit; then finish. A plan brings no credits: its record says
  /// how long reports cost none.
  case deliver(credits: Int)

  /// What a store knows of a transaction that it delivered: the App Store's last word about a refund.
  public struct Known: Hashable, Sendable {
    /// How much of the money the App Store took back, and when; nil if it did not, or gave it again.
    public var revocation: PaidTransaction.Revocation?
    /// When the App Store signed what it last said about a refund; nil if it never did.
    public var revocationSignedAt: Date?

    /// Creates what is known.
    public init(revocation: PaidTransaction.Revocation? = nil, revocationSignedAt: Date? = nil) {
      self.revocation = revocation
      self.revocationSignedAt = revocationSignedAt
    }
  }

  /// Decides.
  public init(_ paid: PaidTransaction, known: Known?) {
    // 1: revoked, before the question whether it is known: a refund has the same number as its purchase.
    if let revocation = paid.revocation {
      self = Self.revocation(revocation, of: paid, known: known)
      return
    }
    // 2: the checks.
    if let reason = Self.flaw(of: paid) {
      self = .quarantine(reason)
      return
    }
    // 3: known, so nothing is granted again.
    if let known {
      self = known.revocation != nil && known.isOlder(than: paid) ? .restore(credits: Self.credits(of: paid)) : .finish
      return
    }
    // 4: new.
    self = .deliver(credits: Self.credits(of: paid))
  }

  private static func revocation(
    _ revocation: PaidTransaction.Revocation, of paid: PaidTransaction, known: Known?
  ) -> DeliveryDecision {
    guard let known else { return .revoke(credits: flaw(of: paid) == nil ? credits(of: paid) : 0) }
    return !known.says(revocation) && known.isOlder(than: paid) ? .revoke(credits: 0) : .finish
  }

  /// Why nothing can be delivered for it; nil if nothing is wrong.
  static func flaw(of paid: PaidTransaction) -> QuarantineReason? {
    if paid.key.bundleID != CreditProduct.bundleID { return .otherApp }
    if paid.plan != nil {
      if paid.expiresAt == nil { return .wrongType }
    } else {
      if CreditProduct(rawValue: paid.productID) == nil { return .unknownProduct }
      if !paid.isConsumable { return .wrongType }
    }
    if paid.isFamilyShared { return .familyShared }
    if !(1...10).contains(paid.quantity) { return .wrongQuantity }
    return nil
  }

  /// How many credits a transaction without a flaw brings: none for a plan.
  private static func credits(of paid: PaidTransaction) -> Int {
    (CreditProduct(rawValue: paid.productID)?.credits ?? 0) * paid.quantity
  }
}

extension DeliveryDecision.Known {
  /// Whether this is known already. The App Store signs the same refund anew whenever it is asked; a second prorated
  /// refund may bear the date of the first one, and then takes a larger part.
  func says(_ revocation: PaidTransaction.Revocation?) -> Bool {
    self.revocation?.date == revocation?.date && self.revocation?.part == revocation?.part
  }

  /// Whether the transaction was signed after what is known; an older copy must not undo a newer word.
  fileprivate func isOlder(than paid: PaidTransaction) -> Bool {
    revocationSignedAt.map { $0 < paid.signedAt } ?? true
  }
}
