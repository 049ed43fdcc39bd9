public import Foundation
public import Tandem

/// A word of the App Store about a refund or its reversal, as it was signed. Notices are only added: which one holds is
/// the one that was signed last, in whatever order devices heard and merged them.
@Model
public final class RevocationNotice {
  #Unique<RevocationNotice>([\.transactionKey, \.signedAt])
  /// The text of the purchase's ``TransactionKey``.
  public private(set) var transactionKey: String
  /// When the App Store said so.
  public private(set) var signedAt: Date
  /// When the App Store took the money back; nil for a reversal.
  public private(set) var revokedAt: Date?
  /// StoreKit's number: 1 for a fault of the app, 0 for anything else.
  public private(set) var reason: Int?
  /// How much of the price was given back, 0 to 100; nil for all of it, and for a reversal.
  public private(set) var percentage: Decimal?

  init(_ paid: PaidTransaction) {
    transactionKey = paid.key.text
    signedAt = paid.signedAt
    revokedAt = paid.revocation?.date
    reason = paid.revocation?.reason
    percentage = paid.revocation?.percentage
  }

  /// The part of the purchase that is taken back, 0 to 1.
  var part: Decimal { state.revocation?.part ?? 0 }

  /// What deciding about a transaction needs to know.
  var state: DeliveryDecision.Known {
    DeliveryDecision.Known(
      revocation: revokedAt.map { PaidTransaction.Revocation(date: $0, reason: reason, percentage: percentage) },
      revocationSignedAt: signedAt)
  }
}
