import AstroSvitla
import Foundation

/// Purchases as a table or as JSON.
enum PurchaseAnswer {
  static func print(_ purchases: [PurchaseDetails], _ output: OutputOptions) throws {
    if output.json { return try Report.json(purchases.map(Row.init)) }
    try Report.table(
      output.phrases.purchaseHeader,
      purchases.map { purchase in
        [
          "\(purchase.key.transactionID)", output.phrases.moment(purchase.purchaseDate),
          ProductName.short(purchase.productID), "\(purchase.creditsGranted)",
          "\(purchase.creditsUsed)", output.phrases.price(purchase.price, purchase.currencyCode), purchase.storefront,
          output.phrases.delivery(purchase.delivery), output.phrases.state(purchase),
        ]
      })
  }

  private struct Row: Encodable {
    var environment: String
    var bundleID: String
    var transaction: UInt64
    var product: String
    var quantity: Int
    var credits: Int
    var used: Int
    var date: Date
    var price: String?
    var currency: String?
    var storefront: String
    var delivery: String
    var restored: Date?
    var refunded: Date?
    var finished: Date?
    var expires: Date?

    init(_ purchase: PurchaseDetails) {
      environment = purchase.key.environment
      bundleID = purchase.key.bundleID
      transaction = purchase.key.transactionID
      product = purchase.productID
      quantity = purchase.quantity
      credits = purchase.creditsGranted
      used = purchase.creditsUsed
      date = purchase.purchaseDate
      price = purchase.price.map { "\($0)" }
      currency = purchase.currencyCode
      storefront = purchase.storefront
      delivery = purchase.delivery.rawValue
      restored = purchase.restoredAt
      refunded = purchase.revokedAt
      finished = purchase.finishedAt
      expires = purchase.expiresAt
    }
  }
}
