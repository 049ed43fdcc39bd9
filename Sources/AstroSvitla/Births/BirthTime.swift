import Foundation

/// A time of the day to the minute.
public struct BirthTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// 0 to 1439.
  public let minuteOfDay: Int

  /// Throws `invalidValue` outside of 0 to 1439.
  public init(minuteOfDay: Int) throws {
    guard (0..<24 * 60).contains(minuteOfDay) else {
      throw AstroSvitlaError(
        .invalidValue, "a birth time is a minute of the day, from 00:00 to 23:59",
        ukrainian: "час народження — це хвилина доби, від 00:00 до 23:59")
    }
    self.minuteOfDay = minuteOfDay
  }

  /// Reads `07:45`, nothing looser.
  public init(iso text: String) throws {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.allSatisfy { ("0"..."9").contains($0) } ? Int($0) : nil }
    guard parts.map(\.count) == [2, 2], numbers.count == 2, numbers[0] < 24, numbers[1] < 60 else {
      throw AstroSvitlaError(
        .invalidValue, "a birth time is written like 07:45, from 00:00 to 23:59",
        ukrainian: "час народження пишуть як 07:45, від 00:00 до 23:59")
    }
    try self.init(minuteOfDay: numbers[0] * 60 + numbers[1])
  }

  public var description: String { String(format: "%02d:%02d", minuteOfDay / 60, minuteOfDay % 60) }

  public static func < (left: BirthTime, right: BirthTime) -> Bool { left.minuteOfDay < right.minuteOfDay }
}
