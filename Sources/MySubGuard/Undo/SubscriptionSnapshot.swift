import Foundation

/// All that is stored of one subscription, as texts, which are compared and written back one by one.
struct SubscriptionSnapshot: Codable, Hashable {
  /// The stored values, by their names in the file.
  enum Field: String, Codable, CaseIterable {
    case name, amount, currency, frequency, nextBillingDate, billingDay, category, createdAt
    case trialUntil, pausedFrom, pausedUntil, endsOn
  }

  /// A row of the price history or of the payments.
  struct Row: Codable, Hashable {
    /// The day that the row is about.
    var day: String
    var amount: String
    var currency: String
    var amountBefore: String?
    var currencyBefore: String?
    /// When it was noted, in seconds since 2001, or the day on which it was paid.
    var noted: String
  }

  var id: UUID
  /// Values that are nil are left out.
  var values: [String: String] = [:]
  /// By their ids.
  var prices: [String: Row] = [:]
  /// By their keys.
  var payments: [String: Row] = [:]

  init(_ model: Subscription) {
    id = model.id
    for field in Field.allCases { values[field.rawValue] = model.text(of: field) }
    for row in model.priceChanges { prices[row.id.uuidString] = Row(row.step) }
    for row in model.payments { payments[row.key] = Row(row.charge) }
  }
}

extension SubscriptionSnapshot.Row {
  init(_ step: PriceStep) {
    self.init(
      day: "\(step.since)", amount: "\(step.price.amount)", currency: step.price.currency.rawValue,
      amountBefore: "\(step.before.amount)", currencyBefore: step.before.currency.rawValue,
      noted: "\(step.notedAt.timeIntervalSinceReferenceDate)")
  }

  init(_ charge: PaidCharge) {
    self.init(
      day: "\(charge.day)", amount: "\(charge.price.amount)", currency: charge.price.currency.rawValue,
      noted: "\(charge.paidOn)")
  }

  var price: Money { get throws { Money(try LastChange.decimal(amount), try LastChange.currency(currency)) } }

  func step(id: String) throws -> PriceStep {
    PriceStep(
      id: try SubscriptionList.identifier(id), since: try CalendarDay(iso: day), price: try price,
      before: Money(
        try LastChange.decimal(amountBefore ?? amount), try LastChange.currency(currencyBefore ?? currency)),
      notedAt: Date(timeIntervalSinceReferenceDate: Double(noted) ?? 0))
  }

  var charge: PaidCharge {
    get throws { PaidCharge(day: try CalendarDay(iso: day), price: try price, paidOn: try CalendarDay(iso: noted)) }
  }
}

extension Subscription {
  /// A stored value as text; nil where there is none.
  func text(of field: SubscriptionSnapshot.Field) -> String? {
    switch field {
    case .name: name
    case .amount: "\(amount)"
    case .currency: currency.rawValue
    case .frequency: frequency.rawValue
    case .nextBillingDate: "\(CalendarDay(nextBillingDate))"
    case .billingDay: "\(billingDay)"
    case .category: category.rawValue
    case .createdAt: SubscriptionList.text(of: createdAt)
    case .trialUntil: trialUntil.map { "\(CalendarDay($0))" }
    case .pausedFrom: pausedFrom.map { "\(CalendarDay($0))" }
    case .pausedUntil: pausedUntil.map { "\(CalendarDay($0))" }
    case .endsOn: endsOn.map { "\(CalendarDay($0))" }
    }
  }

  /// Writes a value that ``text(of:)`` said.
  func set(_ field: SubscriptionSnapshot.Field, to text: String?) throws {
    func day() throws -> Date? { try text.map { try CalendarDay(iso: $0).date } }
    let value = text ?? ""
    switch field {
    case .name: name = try SubscriptionDetails.checkedName(value)
    case .amount: amount = try LastChange.decimal(value)
    case .currency: currency = try LastChange.currency(value)
    case .frequency: frequency = try BillingFrequency(named: value)
    case .nextBillingDate: nextBillingDate = try CalendarDay(iso: value).date
    case .billingDay: billingDay = try SubscriptionList.billingDay(value)
    case .category: category = try SubscriptionCategory(named: value)
    case .createdAt: createdAt = try SubscriptionList.timestamp(value)
    case .trialUntil: trialUntil = try day()
    case .pausedFrom: pausedFrom = try day()
    case .pausedUntil: pausedUntil = try day()
    case .endsOn: endsOn = try day()
    }
  }
}
