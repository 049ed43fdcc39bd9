import Foundation

/// A charge that a person is told of before it comes.
public struct Reminder: Hashable, Sendable {
  /// The charge to come.
  public let charge: UpcomingCharge
  /// The day on which it is told.
  public let today: CalendarDay

  /// Creates a reminder from its parts.
  public init(_ charge: UpcomingCharge, today: CalendarDay) { (self.charge, self.today) = (charge, today) }

  /// One line in the language of ``AppLocale/current``.
  public var text: String {
    let locale = AppLocale.current
    return locale.text(
      .reminder, charge.subscription.name, locale.text(charge.price),
      locale.distance(of: charge.day, from: today), locale.text(charge.day))
  }

  /// The values, for programs: names that begin with `MYSUBGUARD_`.
  public var environment: [String: String] {
    [
      "MYSUBGUARD_ID": charge.subscription.id.uuidString, "MYSUBGUARD_NAME": charge.subscription.name,
      "MYSUBGUARD_DATE": charge.day.description, "MYSUBGUARD_DAYS": "\(charge.day.days(since: today))",
      "MYSUBGUARD_AMOUNT": Amount.text(charge.price), "MYSUBGUARD_CURRENCY": charge.price.currency.rawValue,
      "MYSUBGUARD_CATEGORY": charge.subscription.category.rawValue,
    ]
  }

  /// Names the reminder in ``ReminderLog``.
  var key: String { "\(charge.subscription.id.uuidString) \(charge.day)" }
}
