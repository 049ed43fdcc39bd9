public import Foundation

/// All values of one subscription, checked: what lists carry, what editing produces, what a ``Subscription`` stores.
public struct SubscriptionDetails: Hashable, Sendable, Identifiable {
  /// The same on every device; lists that overlap meet by it.
  public let id: UUID
  /// 1–100 characters on one line, without spaces at the ends.
  public let name: String
  /// Per charge, exact; see ``Amount``.
  public let amount: Decimal
  /// The frequency, the next day and the agreed day of charges.
  public let schedule: BillingSchedule
  /// The payer.
  public let category: SubscriptionCategory
  /// When the person noted it, to the second.
  public let createdAt: Date

  /// Throws `invalidValue` when the name or the amount is outside its limits.
  public init(
    id: UUID, name: String, amount: Decimal, schedule: BillingSchedule, category: SubscriptionCategory, createdAt: Date
  ) throws {
    self.id = id
    self.name = try Self.checkedName(name)
    self.amount = try Amount.checked(amount)
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
      throw SubscriptionError(.invalidValue, "a name has 1 to 100 characters on one line")
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
    category: SubscriptionCategory? = nil, today: CalendarDay
  ) throws -> SubscriptionDetails {
    let current = frequency == nil ? schedule : schedule.advanced(to: today)
    let newSchedule = BillingSchedule(
      frequency: frequency ?? current.frequency, nextDay: nextDay ?? current.nextDay,
      billingDay: nextDay == nil ? current.billingDay : nil)
    return try SubscriptionDetails(
      id: id, name: name ?? self.name, amount: amount ?? self.amount, schedule: newSchedule,
      category: category ?? self.category, createdAt: createdAt)
  }
}
