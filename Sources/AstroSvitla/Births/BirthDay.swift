public import Foundation

/// A day of the Gregorian calendar from 1900-01-01 to 2100-12-31, without a time or a zone.
public struct BirthDay: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// 1900 to 2100.
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to the length of the month.
  public let day: Int

  /// Throws `invalidValue` for a day that the calendar does not have, or outside of the years.
  public init(year: Int, month: Int, day: Int) throws {
    guard (1900...2100).contains(year), (1...12).contains(month),
      day >= 1, day <= Self.length(ofMonth: month, year)
    else {
      throw AstroSvitlaError(.invalidValue, .birthDateOutside)
    }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Reads `1991-08-24`, nothing looser.
  public init(iso text: String) throws {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let digits = parts.map { $0.allSatisfy { ("0"..."9").contains($0) } ? Int($0) : nil }
    guard parts.map(\.count) == [4, 2, 2], let year = digits[0], let month = digits[1], let day = digits[2] else {
      throw AstroSvitlaError(.invalidValue, .birthDateForm)
    }
    try self.init(year: year, month: month, day: day)
  }

  /// The day of a moment in UTC; see ``date``. Throws `invalidValue` outside of the years.
  public init(_ date: Date) throws {
    let parts = Self.calendar.dateComponents([.year, .month, .day], from: date)
    try self.init(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
  }

  /// Midnight in UTC: how the day is stored.
  public var date: Date {
    let parts = DateComponents(year: year, month: month, day: day)
    guard let date = Self.calendar.date(from: parts) else {
      preconditionFailure("the initialiser let a day pass that the calendar does not have: \(self)")
    }
    return date
  }

  /// Such as `1991-08-24`.
  public var description: String { String(format: "%04d-%02d-%02d", year, month, day) }

  /// By the calendar.
  public static func < (left: BirthDay, right: BirthDay) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}
