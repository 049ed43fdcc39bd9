import Foundation
import Tandem

/// How often a subscription is charged.
enum Frequency: String, Codable, CaseIterable {
  case weekly, monthly, quarterly, yearly
}

enum Category: String, Codable, CaseIterable {
  case professional, personal
}

@Model final class Subscription {
  #Index<Subscription>([\.category, \.nextBillingDate])

  @Attribute(.unique) var id: UUID
  var name: String
  var amount: Double
  var frequency: Frequency
  var nextBillingDate: Date
  var category: Category
  var createdAt: Date
  var notes: String

  init(_ row: SubscriptionRow) {
    id = row.id
    name = row.name
    amount = row.amount
    frequency = row.frequency
    nextBillingDate = row.nextBillingDate
    category = row.category
    createdAt = row.createdAt
    notes = row.notes
  }
}

@Model final class PurchaseRecord {
  @Attribute(.unique) var id: UUID
  @Attribute(.unique) var transactionID: String
  var productID: String
  var price: Decimal
  var date: Date
  @Relationship(deleteRule: .cascade, inverse: \PurchaseCredit.purchase) var credits: [PurchaseCredit] = []

  init(_ row: PurchaseRow) {
    id = row.id
    transactionID = row.transactionID
    productID = row.productID
    price = row.price
    date = row.date
  }
}

@Model final class PurchaseCredit {
  var ordinal: Int
  var purchase: PurchaseRecord?

  init(ordinal: Int, purchase: PurchaseRecord) {
    self.ordinal = ordinal
    self.purchase = purchase
  }
}
