public import Foundation

/// When the clocks of a place showed a time of a day.
public enum ClockReading: Hashable, Sendable {
  /// The clocks showed the hour at one moment.
  case once(Date)
  /// Clocks were set forward past it. The moment is the one that clocks would have shown so, had nobody set them.
  case skipped(Date)
  /// Clocks were set back and showed it again.
  case twice(first: Date, second: Date)

  /// The moment that is taken: the only one, or the first.
  public var moment: Date {
    switch self {
    case .once(let date), .skipped(let date), .twice(let date, _): date
    }
  }
}
