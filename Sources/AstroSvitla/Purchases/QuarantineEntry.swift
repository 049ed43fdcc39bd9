import AppStorePurchases
import Crypto

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

  /// One whose signature is not right: known by its text, since what it says of itself proves nothing.
  init(unverified signed: VerificationResult<Transaction>) {
    let text = signed.jwsRepresentation
    let digest = SHA256.hash(data: Array(text.utf8)).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    key = "text/" + digest.joined()
    reason = .unverified
    detail = signed.verificationFailure.map { "\($0)" }
    signedText = text
  }
}
