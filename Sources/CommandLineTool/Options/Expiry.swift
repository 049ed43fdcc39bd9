import ArgumentParser
import Foundation

/// Until when a value counts: so long from now on, or a moment.
struct Expiry: ExpressibleByArgument {
  private let seconds: Double?
  private let moment: LocalTime?

  /// `90s`, `30m`, `12h`, `7d`, or what ``LocalTime`` reads.
  init?(argument: String) {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    if let unit = argument.last.flatMap({ units[$0] }) {
      guard let count = Int(argument.dropLast()), count > 0, count <= 100_000_000 else { return nil }
      (seconds, moment) = (Double(count) * unit, nil)
    } else {
      guard let time = LocalTime(argument: argument) else { return nil }
      (seconds, moment) = (nil, time)
    }
  }

  /// For a value that is set at `now`.
  func date(from now: Date) -> Date { moment?.date ?? now.addingTimeInterval(seconds ?? 0) }
}
