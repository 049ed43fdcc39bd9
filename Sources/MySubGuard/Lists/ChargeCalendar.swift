import Foundation

/// Charges as a calendar file (iCalendar, RFC 5545) that calendar programs import, with a reminder a day before each.
public struct ChargeCalendar: Sendable {
  /// With CRLF between lines, and a CR at its end: printed as a line it ends as the format asks.
  public let text: String

  /// One event for each charge.
  public init(charges: [UpcomingCharge]) {
    self.init(
      events: charges.map { charge in
        let name = "\(charge.subscription.id)-\(charge.day)"
        return Self.event(charge.subscription, on: charge.day, costs: charge.price, name: name, rule: nil)
      })
  }

  /// One event for each subscription that is charged at all, from its first charge on, that repeats until its end. The
  /// charges in a pause are exceptions; a pause without an end ends the repetition.
  public init(subscriptions: [SubscriptionDetails]) {
    self.init(
      events: subscriptions.compactMap { details in
        guard let first = details.firstCharge(onOrAfter: details.schedule.nextDay) else { return nil }
        return Self.event(
          details, on: first, costs: details.price(on: first), name: "\(details.id)",
          rule: Self.rule(of: details, from: first))
      })
  }

  private init(events: [[String]]) {
    let head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//MySubGuard//mysubguard//EN"]
    let lines = head + events.joined() + ["END:VCALENDAR"]
    text = lines.flatMap(Self.folded).joined(separator: "\r\n") + "\r"
  }

  private static func event(
    _ details: SubscriptionDetails, on day: CalendarDay, costs price: Money, name: String, rule: [String]?
  ) -> [String] {
    let summary = escaped("\(details.name) · \(AppLocale.current.text(price))")
    // The stamp says when the entry was made; it follows from the entry, so that equal charges are equal files.
    let made = details.createdAt.formatted(
      Date.ISO8601FormatStyle().year().month().day().dateSeparator(.omitted).time(includingFractionalSeconds: false)
        .timeSeparator(.omitted).timeZone(separator: .omitted))
    return [
      "BEGIN:VEVENT", "UID:\(name)@mysubguard", "DTSTAMP:\(made)",
      "DTSTART;VALUE=DATE:\(digits(day))",
    ] + (rule ?? []) + [
      "SUMMARY:\(summary)", "CATEGORIES:\(escaped(details.category.name()))", "TRANSP:TRANSPARENT",
      "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:\(summary)", "TRIGGER:-P1D", "END:VALARM", "END:VEVENT",
    ]
  }

  /// A day beyond the 28th is the last of those that the month has, up to the agreed one.
  private static func rule(of details: SubscriptionDetails, from first: CalendarDay) -> [String] {
    let (schedule, standing) = (details.schedule, details.standing)
    let openPause = standing.pause.flatMap { $0.end == nil ? $0.start : nil }
    let last = [standing.endDay, openPause].compactMap { $0?.adding(days: -1) }.min()
    let until = last.map { ";UNTIL=\(digits($0))" } ?? ""
    return [repetition(of: schedule) + until] + exceptions(of: details, from: first)
  }

  private static func repetition(of schedule: BillingSchedule) -> String {
    switch schedule.frequency.step {
    case .days(let days): return "RRULE:FREQ=DAILY;INTERVAL=\(days)"
    case .months(let months):
      let days = (28...max(28, schedule.billingDay)).map { "\($0)" }.joined(separator: ",")
      let agreed = schedule.billingDay > 28 ? ";BYMONTHDAY=\(days);BYSETPOS=-1" : ""
      return "RRULE:FREQ=MONTHLY;INTERVAL=\(months)" + agreed
    }
  }

  /// The charges that a pause with an end leaves out.
  private static func exceptions(of details: SubscriptionDetails, from first: CalendarDay) -> [String] {
    guard let pause = details.standing.pause, let end = pause.end, end > first else { return [] }
    return details.schedule.days(from: max(first, pause.start), through: end.adding(days: -1)).map {
      "EXDATE;VALUE=DATE:\(digits($0))"
    }
  }

  private static func digits(_ day: CalendarDay) -> String { day.description.replacing("-", with: "") }

  /// RFC 5545, 3.3.11.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      if ["\\", ";", ","].contains(scalar) { result.append("\\") }
      result.unicodeScalars.append(scalar)
    }
  }

  /// RFC 5545, 3.1: no line has more than 75 bytes, a blank begins what goes on; no character is divided.
  private static func folded(_ line: String) -> [String] {
    if line.utf8.count <= 75 { return [line] }
    var lines = [""]
    for scalar in line.unicodeScalars {
      if lines[lines.count - 1].utf8.count + UTF8.width(scalar) > 75 { lines.append(" ") }
      lines[lines.count - 1].unicodeScalars.append(scalar)
    }
    return lines
  }
}
