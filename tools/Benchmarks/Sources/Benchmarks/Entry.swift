import Foundation
import Tandem

/// What is stored and fetched: a unique number, one compound index, five values of common types.
@Model final class Entry {
  #Index<Entry>([\.category, \.day])

  @Attribute(.unique) var number: Int
  var name: String
  var amount: Decimal
  var day: Date
  var category: Int

  init(number: Int) {
    self.number = number
    name = "Subscription number \(number)"
    // Made without a division, which would be a good part of what is measured.
    amount = Decimal(sign: .plus, exponent: -2, significand: Decimal(number % 10_000))
    day = Date(timeIntervalSince1970: Double(number % 3_650) * 86_400)
    category = number % 16
  }
}
