import Foundation
import StoreInspection

/// A moment as people here read and write it, in the time zone of the machine. Programs get UTC.
struct LocalTime: Hashable, Sendable {
  let date: Date

  init(_ date: Date) { self.date = date }

  /// `2030-01-31`, `2030-01-31 17:05:00`, or with a zone of its own such as `2030-01-31T17:05:00Z`.
  init?(argument: String) {
    guard let date = DateText.parse(argument) else { return nil }
    // A text that takes a zone has none: it means the clock on the wall.
    let isLocal = ["Z", " 00:00Z"].contains { DateText.parse(argument + $0) != nil }
    self.date = isLocal ? LocalTime.moment(onTheWall: date) : date
  }

  /// `2030-01-31 17:05:00+02:00`.
  var text: String {
    LocalTime(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))).exactText
  }

  /// The same, with decimals down to milliseconds where there are any: a value of a record.
  var exactText: String {
    let offset = LocalTime.offset(at: date)
    let shown = DateText.display(date.addingTimeInterval(Double(offset)))
    // No calendar reaches it: it is a number of seconds.
    guard shown.hasSuffix("Z") else { return DateText.display(date) }
    let (minutes, seconds) = abs(offset).quotientAndRemainder(dividingBy: 60)
    let zone = ([minutes / 60, minutes % 60] + (seconds == 0 ? [] : [seconds])).map { $0 < 10 ? "0\($0)" : "\($0)" }
      .joined(separator: ":")
    return shown.dropLast().replacing("T", with: " ") + (offset < 0 ? "-" : "+") + zone
  }

  private static func offset(at date: Date) -> Int {
    date.timeIntervalSinceReferenceDate.isFinite ? TimeZone.current.secondsFromGMT(for: date) : 0
  }

  /// `date` is what the wall shows, read as UTC. Of two moments at which the wall shows it the earlier one is meant;
  /// what clocks leave out is as long after their change as it would be without one.
  private static func moment(onTheWall date: Date) -> Date {
    // No zone is a whole day away from UTC.
    let earlier = date.addingTimeInterval(-Double(offset(at: date.addingTimeInterval(-86_400))))
    let later = date.addingTimeInterval(-Double(offset(at: earlier)))
    return offset(at: later) == offset(at: earlier) ? later : earlier
  }
}
