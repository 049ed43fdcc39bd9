import ArgumentParser
import Foundation

/// A moment as people here read and write it, in the time zone of the machine.
struct LocalTime: ExpressibleByArgument {
  let date: Date

  init(_ date: Date) { self.date = date }

  /// `2030-01-31`, `2030-01-31 17:05:00`, or with a zone of its own such as `2030-01-31T17:05:00Z`.
  init?(argument: String) {
    let day = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
    let moment = day.time(includingFractionalSeconds: false).dateTimeSeparator(.space)
    let zoned = Date.ISO8601FormatStyle()
    for style in [zoned, moment, day] {
      do {
        date = try style.parse(argument)
        return
      } catch {
        // The next form may be meant.
        continue
      }
    }
    return nil
  }

  /// `2030-01-31 17:05:00`.
  var text: String {
    date.formatted(
      Date.ISO8601FormatStyle(timeZone: .current).year().month().day().time(includingFractionalSeconds: false)
        .dateTimeSeparator(.space))
  }
}
