import AppStorePurchases
import Crypto
import Foundation

/// The contents of a token, with the members and units of Apple's `JWSTransactionDecodedPayload`: times in milliseconds
/// since 1970, the price in thousandths of the currency's unit, ids as text. Absent members are left out.
struct TransactionPayload: Codable, Hashable, Sendable {
  var transactionId: String
  var originalTransactionId: String
  var webOrderLineItemId: String?
  var bundleId: String
  var productId: String
  var subscriptionGroupIdentifier: String?
  var purchaseDate: Int64
  var originalPurchaseDate: Int64
  var expiresDate: Int64?
  var quantity: Int
  var type: String
  var appAccountToken: String?
  var inAppOwnershipType: String
  var signedDate: Int64
  var revocationDate: Int64?
  var revocationReason: Int?
  var revocationType: String?
  /// Thousandths of a percent: 100000 for all of it.
  var revocationPercentage: Int?
  var isUpgraded: Bool?
  var offerType: Int?
  var offerIdentifier: String?
  var offerDiscountType: String?
  var environment: String
  var transactionReason: String
  var storefront: String
  var storefrontId: String
  var price: Int64
  var currency: String
  var deviceVerification: String
  var deviceVerificationNonce: String

  /// JSON with its members in order, so that equal payloads have equal texts.
  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }

  /// The base64 text of SHA-384 over the nonce followed by the device's verification id, both in lower case:
  /// how a device recognises its own tokens.
  static func deviceVerification(nonce: UUID, device: UUID) -> String {
    let text = nonce.uuidString.lowercased() + device.uuidString.lowercased()
    return Data(SHA384.hash(data: Data(text.utf8))).base64EncodedString()
  }
}

extension TransactionPayload {
  init(_ transaction: LedgerTransaction, _ state: TokenState) {
    let nonce = state.nonce(for: "transaction \(transaction.number)")
    self.init(
      transactionId: String(transaction.number), originalTransactionId: String(transaction.originalNumber),
      webOrderLineItemId: transaction.subscriptionGroupID.map { _ in String(transaction.number) },
      bundleId: state.settings.bundleID, productId: transaction.productID,
      subscriptionGroupIdentifier: transaction.subscriptionGroupID, purchaseDate: transaction.purchaseDate.milliseconds,
      originalPurchaseDate: transaction.originalPurchaseDate.milliseconds,
      expiresDate: transaction.expirationDate?.milliseconds, quantity: transaction.quantity,
      type: transaction.productType, appAccountToken: transaction.appAccountToken?.uuidString.lowercased(),
      inAppOwnershipType: transaction.ownership.rawValue,
      signedDate: max(state.now, transaction.changedDate ?? state.now).milliseconds,
      revocationDate: transaction.revocationDate?.milliseconds, revocationReason: transaction.revocationReason,
      revocationType: transaction.revocationType?.rawValue,
      revocationPercentage: transaction.revocationPercentage.map { Int($0.thousandths) },
      isUpgraded: transaction.isUpgraded ? true : nil, offerType: transaction.offerType,
      offerIdentifier: transaction.offerID, offerDiscountType: transaction.offerPaymentMode,
      environment: AppStore.Environment.xcode.rawValue, transactionReason: transaction.reason.rawValue,
      storefront: transaction.storefront, storefrontId: transaction.storefrontID, price: transaction.price.thousandths,
      currency: transaction.currency,
      deviceVerification: Self.deviceVerification(nonce: nonce, device: state.device.verificationID),
      deviceVerificationNonce: nonce.uuidString.lowercased())
  }
}

extension Decimal {
  /// Exact for the amounts of a price table, which have at most three places.
  var thousandths: Int64 { NSDecimalNumber(decimal: self * 1000).int64Value }
}

extension Date {
  /// Milliseconds since 1970, the unit of tokens and of the ledger's times.
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
