public import Foundation
import LocalizedTexts

/// A day of the Gregorian calendar, without a time and without a time zone: what a bill is dated with.
///
/// Stored as the `Date` of its midnight in UTC, so that every device of a person reads the same day back.
/// Arithmetic is on whole numbers: a `Calendar` costs microseconds a call on Linux.
public struct CalendarDay: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The year.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, from 1.
  public let day: Int

  /// Years that bills are dated with; four digits in every list.
  public static let years = 1900...2999

  /// Nil when the calendar has no such day, or the year is outside ``years``.
  public init?(year: Int, month: Int, day: Int) {
    guard Self.years.contains(year), (1...12).contains(month) else { return nil }
    guard (1...Self.daysIn(month: month, of: year)).contains(day) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Reads `2026-01-31`: exactly ten characters, digits and hyphens.
  public init(iso text: String) throws {
    let bytes = Array(text.utf8)
    let digits = bytes.enumerated().allSatisfy { index, byte in
      index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
    guard bytes.count == 10, digits,
      let day = CalendarDay(year: number(0..<4), month: number(5..<7), day: number(8..<10))
    else {
      throw SubscriptionError(.invalidValue, Sentence(.notADay, .text(text)))
    }
    self = day
  }

  /// The day that holds `date` in UTC. Dates outside ``years`` come back as the nearest day inside.
  public init(_ date: Date) {
    let days = (date.timeIntervalSince1970 / 86_400).rounded(.down)
    let limits = (Self.first.dayNumber, Self.last.dayNumber)
    let number = days.isNaN ? 0 : min(max(days, Double(limits.0)), Double(limits.1))
    self.init(dayNumber: Int(number))
  }

  /// Its midnight in UTC.
  public var date: Date { Date(timeIntervalSince1970: Double(dayNumber) * 86_400) }

  /// Such as `2026-01-31`.
  public var description: String {
    let (tens, tensOfDays) = (month < 10 ? "0" : "", day < 10 ? "0" : "")
    return "\(year)-\(tens)\(month)-\(tensOfDays)\(day)"
  }

  /// Whether a day comes before another.
  public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  static let first = CalendarDay(uncheckedYear: years.lowerBound, month: 1, day: 1)
  package static let last = CalendarDay(uncheckedYear: years.upperBound, month: 12, day: 31)

  private init(uncheckedYear year: Int, month: Int, day: Int) {
    (self.year, self.month, self.day) = (year, month, day)
  }
}

extension CalendarDay {
  static func daysIn(month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1 January 1970. Years are counted from March, so that the leap day ends one.
  var dayNumber: Int {
    let marchYear = month > 2 ? year : year - 1
    let monthsSinceMarch = (month + 9) % 12
    let dayOfYear = (153 * monthsSinceMarch + 2) / 5 + day - 1
    return 365 * marchYear + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
  }

  /// The inverse of ``dayNumber``; 146,097 days make 400 years.
  init(dayNumber: Int) {
    let days = dayNumber + 719_468
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthsSinceMarch = (5 * dayOfYear + 2) / 153
    month = monthsSinceMarch < 10 ? monthsSinceMarch + 3 : monthsSinceMarch - 9
    day = dayOfYear - (153 * monthsSinceMarch + 2) / 5 + 1
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }

  /// Whole days from `other` to this one.
  public func days(since other: CalendarDay) -> Int { dayNumber - other.dayNumber }

  /// This many days later; stays at the end of ``years``.
  public func adding(days: Int) -> CalendarDay {
    let (sum, overflow) = dayNumber.addingReportingOverflow(days)
    let bound = overflow ? (days > 0 ? Int.max : Int.min) : sum
    return CalendarDay(dayNumber: min(max(bound, Self.first.dayNumber), Self.last.dayNumber))
  }

  /// This many months later, on `billingDay` or on the month's last day when it is shorter.
  func adding(months: Int, on billingDay: Int) -> CalendarDay {
    let month = year * 12 + self.month - 1 + months
    let (newYear, newMonth) = (month / 12, month % 12 + 1)
    guard Self.years.contains(newYear) else { return Self.last }
    let day = min(billingDay, Self.daysIn(month: newMonth, of: newYear))
    return CalendarDay(uncheckedYear: newYear, month: newMonth, day: day)
  }
}
