import AppStorePurchases
import Foundation

/// A transaction to put aside, as a value.
struct QuarantineEntry: Hashable, Sendable {
  var key: String
  var reason: QuarantineReason
  var productID: String?
  var detail: String?
  var signedText: String

  /// One whose signature is right and whose contents are not what the app sells.
  init(_ paid: PaidTransaction, _ reason: QuarantineReason) {
    key = paid.key.text
    self.reason = reason
    productID = paid.productID
    signedText = paid.signedText
  }

  /// One whose signature is not right. What it says of itself proves nothing, so it has a name of its own beside that
  /// of the transaction it claims to be; one entry stands for all its copies, since each launch may bring a new one.
  init(unverified signed: VerificationResult<Transaction>) {
    let claimed = PaidTransaction(signed.unsafePayloadValue, signedText: signed.jwsRepresentation)
    key = Self.key(of: claimed)
    reason = .unverified
    detail = signed.verificationFailure.map { "\($0)" }
    signedText = claimed.signedText
  }

  /// One that does not even say which transaction it is goes by its product and date, so that each has an entry.
  private static func key(of claimed: PaidTransaction) -> String {
    guard claimed.key.environment.isEmpty || claimed.key.bundleID.isEmpty || claimed.productID.isEmpty else {
      return unverifiedKey(claimed.key)
    }
    let second = Int(claimed.purchaseDate.timeIntervalSince1970)
    return "\(unverifiedKey(claimed.key))/\(claimed.productID)@\(second)"
  }

  static func unverifiedKey(_ key: TransactionKey) -> String { "unverified/\(key.text)" }
}
