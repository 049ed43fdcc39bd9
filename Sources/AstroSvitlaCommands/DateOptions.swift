import ArgumentParser
import AstroSvitla
import Foundation

/// A range of days, both included, as the person's calendar has them.
struct DateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("From this day on, such as 2026-01-31.", valueName: "day"),
    transform: OutputOptions.reading(BirthDay.init(iso:)))
  var from: BirthDay?
  @Option(
    help: ArgumentHelp("Up to this day.", valueName: "day"), transform: OutputOptions.reading(BirthDay.init(iso:)))
  var to: BirthDay?

  func validate() throws {
    if let from, let to, to < from { throw ValidationError("--to is before --from") }
  }

  var range: Range<Date>? {
    guard from != nil || to != nil else { return nil }
    return (from.map { Self.beginning(of: $0) } ?? .distantPast)..<(to.map { Self.end(of: $0) } ?? .distantFuture)
  }

  /// Midnight where the person is, or the first moment after clocks that were set forward past it.
  private static func beginning(of day: BirthDay, plus days: Int = 0) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .current
    let parts = DateComponents(year: day.year, month: day.month, day: day.day + days)
    return calendar.date(from: parts).map { calendar.startOfDay(for: $0) } ?? day.date
  }

  private static func end(of day: BirthDay) -> Date { beginning(of: day, plus: 1) }
}
