public import Foundation
import LocalizedTexts

/// All values of one subscription, checked: what lists carry, what editing produces, what a ``Subscription`` stores.
public struct SubscriptionDetails: Hashable, Sendable, Identifiable {
  /// The same on every device; lists that overlap meet by it.
  public let id: UUID
  /// 1–100 characters on one line, without spaces at the ends.
  public let name: String
  /// Per charge, exact; see ``Amount``. A book says the price of its day.
  public internal(set) var amount: Decimal
  /// The frequency, the next day and the agreed day of charges.
  public let schedule: BillingSchedule
  /// The payer.
  public let category: SubscriptionCategory
  /// When the person noted it, to the second.
  public let createdAt: Date
  /// The currency of ``amount``.
  public internal(set) var currency: Currency
  /// Trial, pause and end.
  public let standing: Standing
  /// The changes of its price; empty where a list or an edit made the value.
  public internal(set) var prices = PriceHistory()
  /// The days from the book's today on that are paid already; empty where a list or an edit made the value.
  public internal(set) var paidDays: Set<CalendarDay> = []

  /// Throws `invalidValue` when the name or the amount is outside its limits.
  public init(
    id: UUID, name: String, amount: Decimal, schedule: BillingSchedule, category: SubscriptionCategory,
    createdAt: Date, currency: Currency = .euro, standing: Standing = Standing()
  ) throws {
    self.id = id
    self.name = try Self.checkedName(name)
    self.amount = try Amount.checked(amount, in: currency)
    self.currency = currency
    self.standing = standing
    self.schedule = schedule
    self.category = category
    self.createdAt = Date(timeIntervalSince1970: createdAt.timeIntervalSince1970.rounded(.down))
  }

  /// The cost of a year: amount × charges, exact.
  public var annualAmount: Decimal { amount * Decimal(schedule.frequency.chargesPerYear) }

  /// A twelfth of the year. Exact to 38 digits; sums divide once, at the end (see ``SubscriptionTotals``).
  public var monthlyAmount: Decimal { annualAmount / 12 }

  /// True for names of printable ASCII without spaces at the ends: most names, and cheap to see.
  private static func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...100).contains(bytes.count), bytes.first != UInt8(ascii: " "), bytes.last != UInt8(ascii: " ") else {
      return false
    }
    return bytes.allSatisfy { (0x20..<0x7F).contains($0) }
  }

  /// The limits of ``name``.
  static func checkedName(_ text: String) throws -> String {
    if isPlain(text) { return text }
    let name = text.trimmingCharacters(in: .whitespaces)
    let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard (1...100).contains(name.count), isPlain, !name.contains(where: \.isNewline) else {
      throw SubscriptionError(.invalidValue, Sentence(.notAName))
    }
    return name
  }
}

extension SubscriptionDetails {
  /// The same subscription with some values replaced.
  ///
  /// A new day sets the billing day too; a new frequency counts from the next charge on `today` or later.
  public func edited(
    name: String? = nil, amount: Decimal? = nil, frequency: BillingFrequency? = nil, nextDay: CalendarDay? = nil,
    category: SubscriptionCategory? = nil, currency: Currency? = nil, standing: Standing? = nil, today: CalendarDay
  ) throws -> SubscriptionDetails {
    let current = frequency == nil ? schedule : schedule.advanced(to: today)
    let newSchedule = BillingSchedule(
      frequency: frequency ?? current.frequency, nextDay: nextDay ?? current.nextDay,
      billingDay: nextDay == nil ? current.billingDay : nil)
    var edited = try SubscriptionDetails(
      id: id, name: name ?? self.name, amount: amount ?? self.amount, schedule: newSchedule,
      category: category ?? self.category, createdAt: createdAt, currency: currency ?? self.currency,
      standing: standing ?? self.standing)
    edited.prices = prices
    edited.paidDays = paidDays
    return edited
  }

  /// The amount and the currency that are stored; ``price(on:)`` says what a day costs.
  public var storedPrice: Money { Money(amount, currency) }

  /// The price of a charge on a day, by the price history.
  public func price(on day: CalendarDay) -> Money {
    prices.steps.isEmpty ? storedPrice : prices.price(on: day, stored: storedPrice)
  }

  /// The sum of a year at the price of a day, exact.
  public func annualPrice(on day: CalendarDay) -> Money {
    let price = price(on: day)
    return Money(price.amount * Decimal(schedule.frequency.chargesPerYear), price.currency)
  }

  /// The state of the subscription on a day.
  public func state(on day: CalendarDay) -> Standing.State { standing.state(on: day) }

  /// The first charge to come on a day or later; nil when none comes any more.
  public func firstCharge(onOrAfter start: CalendarDay) -> CalendarDay? {
    var start = start
    while let day = standing.firstDay(of: schedule, onOrAfter: start) {
      if !paidDays.contains(day) || day == .last { return day }
      start = day.adding(days: 1)
    }
    return nil
  }

  /// All charges to come between two days, both included.
  public func charges(from start: CalendarDay, through end: CalendarDay) -> [CalendarDay] {
    let days = standing.days(of: schedule, from: start, through: end)
    return paidDays.isEmpty ? days : days.filter { !paidDays.contains($0) }
  }

  /// Whether the day is one of its charges, paid or not.
  package func isCharged(on day: CalendarDay) -> Bool {
    standing.days(of: schedule, from: day, through: day) == [day]
  }

  /// Takes a history, and the price of a day by it.
  mutating func take(_ steps: [PriceStep], on day: CalendarDay) {
    guard !steps.isEmpty else { return }
    prices = PriceHistory(steps)
    let price = prices.price(on: day, stored: storedPrice)
    (amount, currency) = (price.amount, price.currency)
  }
}
