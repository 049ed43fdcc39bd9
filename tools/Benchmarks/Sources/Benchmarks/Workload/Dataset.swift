import Foundation

/// The rows that every side stores, as plain values made before any clock runs.
struct Dataset {
  let subscriptions: [SubscriptionRow]

  init(count: Int) {
    var generator = SplitMix(seed: 42)
    subscriptions = (0..<count).map { SubscriptionRow(number: $0, using: &generator) }
  }

  /// Places of rows in an order that no cache foresees, the same in every run, none of them twice: what a context has
  /// already is not looked up again.
  func randomIndices(_ count: Int) -> [Int] {
    var generator = SplitMix(seed: 7)
    return Array(subscriptions.indices.shuffled(using: &generator).prefix(count))
  }

  /// The sum of all amounts.
  var totalAmount: Double { subscriptions.reduce(0) { $0 + $1.amount } }
}

struct SubscriptionRow {
  var id: UUID
  var name: String
  var amount: Double
  var frequency: Frequency
  var nextBillingDate: Date
  var category: Category
  var createdAt: Date
  var notes: String

  init(number: Int, using generator: inout SplitMix) {
    let random = generator.next()
    id = UUID(high: random, low: generator.next())
    name = "Subscription \(1_000_000 + number)"
    amount = Double(random % 10_000) / 100
    frequency = Frequency.allCases[Int(random >> 20 % 4)]
    nextBillingDate = Date(timeIntervalSinceReferenceDate: Double(random >> 8 % 3_650) * 86_400)
    category = Category.allCases[Int(random >> 32 % 2)]
    createdAt = Date(timeIntervalSinceReferenceDate: Double(number))
    notes = Self.text + String(1_000_000 + number)
  }

  private static let text = "Paid by card, to be ended by letter one month before the year is over; client number "
}

struct PurchaseRow {
  static let creditsEach = 5

  var id: UUID
  var transactionID: String
  var productID = "com.example.credits.pack5"
  var price: Decimal
  var date: Date

  init(number: Int, using generator: inout SplitMix) {
    id = UUID(high: generator.next(), low: generator.next())
    transactionID = String(2_000_000_000_000 + number)
    price = Decimal(sign: .plus, exponent: -2, significand: 1_999)
    date = Date(timeIntervalSinceReferenceDate: Double(number))
  }

  /// So many rows, the same each time for one number.
  static func batch(_ number: Int, of count: Int) -> [PurchaseRow] {
    var generator = SplitMix(seed: 11 + UInt64(number) << 32)
    return (0..<count).map { PurchaseRow(number: number * count + $0, using: &generator) }
  }
}

extension UUID {
  /// From two numbers: Foundation's own asks the system for randomness each time.
  fileprivate init(high: UInt64, low: UInt64) {
    let words = (high.bigEndian, low.bigEndian)
    self.init(uuid: withUnsafeBytes(of: words) { $0.loadUnaligned(as: uuid_t.self) })
  }
}
