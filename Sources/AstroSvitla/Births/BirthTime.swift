import Foundation

/// A time of the day to the minute.
public struct BirthTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// 12:00, for which the sky of a day is calculated whose hour nobody knows.
  public static let noon = BirthTime(known: 12 * 60)

  /// 0 to 1439.
  public let minuteOfDay: Int

  /// Throws `invalidValue` outside of 0 to 1439.
  public init(minuteOfDay: Int) throws {
    guard (0..<24 * 60).contains(minuteOfDay) else {
      throw AstroSvitlaError(.invalidValue, .birthTimeOutside)
    }
    self.minuteOfDay = minuteOfDay
  }

  private init(known minute: Int) { minuteOfDay = minute }

  /// Reads `07:45`, nothing looser.
  public init(iso text: String) throws {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.allSatisfy { ("0"..."9").contains($0) } ? Int($0) : nil }
    guard parts.map(\.count) == [2, 2], numbers.count == 2, numbers[0] < 24, numbers[1] < 60 else {
      throw AstroSvitlaError(.invalidValue, .birthTimeForm)
    }
    try self.init(minuteOfDay: numbers[0] * 60 + numbers[1])
  }

  /// Such as `07:45`.
  public var description: String { String(format: "%02d:%02d", minuteOfDay / 60, minuteOfDay % 60) }

  /// By the minute.
  public static func < (left: BirthTime, right: BirthTime) -> Bool { left.minuteOfDay < right.minuteOfDay }
}
