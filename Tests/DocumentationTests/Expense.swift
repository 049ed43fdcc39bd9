import Foundation
import Tandem

// The classes that the articles' examples speak of.

@Model final class Expense {
  var shop: String
  var category: String?
  var amount: Decimal
  var points: Int
  var day: Date

  init(shop: String, category: String? = nil, amount: Decimal, points: Int = 0, day: Date = .now) {
    self.shop = shop
    self.category = category
    self.amount = amount
    self.points = points
    self.day = day
  }
}

@Model final class Receipt {
  @Attribute(.unique) var number: Int
  var shop: String
  var amount: Decimal

  init(number: Int, shop: String, amount: Decimal) {
    self.number = number
    self.shop = shop
    self.amount = amount
  }
}
