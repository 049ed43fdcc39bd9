import ArgumentParser
import AstroSvitla
import Foundation

/// A range of days, both included, in UTC.
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
    return (from?.date ?? .distantPast)..<(to?.date.addingTimeInterval(86_400) ?? .distantFuture)
  }
}
