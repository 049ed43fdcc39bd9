import Foundation

/// Charges as a calendar file (iCalendar, RFC 5545) that calendar programs import, with a reminder a day before each.
public struct ChargeCalendar: Sendable {
  /// With CRLF between lines, and a CR at its end: printed as a line it ends as the format asks.
  public let text: String

  /// One event for each charge.
  public init(charges: [UpcomingCharge]) {
    self.init(
      events: charges.map { charge in
        Self.event(charge.subscription, on: charge.day, name: "\(charge.subscription.id)-\(charge.day)", rule: nil)
      })
  }

  /// One event for each subscription, from its stored day on, that repeats as the subscription is charged.
  public init(subscriptions: [SubscriptionDetails]) {
    self.init(
      events: subscriptions.map { details in
        Self.event(details, on: details.schedule.nextDay, name: "\(details.id)", rule: Self.rule(of: details.schedule))
      })
  }

  private init(events: [[String]]) {
    let head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//MySubGuard//mysubguard//EN"]
    let lines = head + events.joined() + ["END:VCALENDAR"]
    text = lines.flatMap(Self.folded).joined(separator: "\r\n") + "\r"
  }

  private static func event(
    _ details: SubscriptionDetails, on day: CalendarDay, name: String, rule: String?
  ) -> [String] {
    let summary = escaped("\(details.name) · \(Amount.display(details.amount))")
    // The stamp says when the entry was made; it follows from the entry, so that equal charges are equal files.
    let made = details.createdAt.formatted(
      Date.ISO8601FormatStyle().year().month().day().dateSeparator(.omitted).time(includingFractionalSeconds: false)
        .timeSeparator(.omitted).timeZone(separator: .omitted))
    return [
      "BEGIN:VEVENT", "UID:\(name)@mysubguard", "DTSTAMP:\(made)",
      "DTSTART;VALUE=DATE:\(day.description.replacing("-", with: ""))",
    ] + [rule].compactMap(\.self) + [
      "SUMMARY:\(summary)", "CATEGORIES:\(escaped(details.category.displayName))", "TRANSP:TRANSPARENT",
      "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:\(summary)", "TRIGGER:-P1D", "END:VALARM", "END:VEVENT",
    ]
  }

  /// A day beyond the 28th is the last of those that the month has, up to the agreed one.
  private static func rule(of schedule: BillingSchedule) -> String {
    switch schedule.frequency.step {
    case .days(let days): return "RRULE:FREQ=DAILY;INTERVAL=\(days)"
    case .months(let months):
      let days = (28...max(28, schedule.billingDay)).map { "\($0)" }.joined(separator: ",")
      let agreed = schedule.billingDay > 28 ? ";BYMONTHDAY=\(days);BYSETPOS=-1" : ""
      return "RRULE:FREQ=MONTHLY;INTERVAL=\(months)" + agreed
    }
  }

  /// RFC 5545, 3.3.11.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if "\\;,".contains(character) { result.append("\\") }
      result.append(character)
    }
  }

  /// RFC 5545, 3.1: no line has more than 75 bytes, a blank begins what goes on; no character is divided.
  private static func folded(_ line: String) -> [String] {
    var lines = [""]
    for scalar in line.unicodeScalars {
      if lines[lines.count - 1].utf8.count + UTF8.width(scalar) > 75 { lines.append(" ") }
      lines[lines.count - 1].unicodeScalars.append(scalar)
    }
    return lines
  }
}
