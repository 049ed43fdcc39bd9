import ArgumentParser
import Foundation
import MySubGuard

/// Which device's subscriptions: the same for every command of both programs.
struct DeviceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder that stands for the device.",
      discussion: "Default: $TANDEM_CONTAINER_ROOT, else the person's own data folder.", valueName: "folder"),
    transform: Report.path)
  var device: String?
  // Read before all others, by Program; here, so that every command has it.
  @Option(help: "en or fr; the environment's language unless given.")
  var language: Language?

  func book(_ access: SubscriptionBook.Access, _ today: CalendarDay) throws -> SubscriptionBook {
    try SubscriptionBook(
      device: device.map { URL(filePath: $0, directoryHint: .isDirectory) }, access: access, today: today)
  }
}

struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON, for programs.")
  var json = false
}

/// The day from which distances and next charges are counted.
struct TodayOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Take this day for today, such as 2026-01-31.", valueName: "day"))
  var today: String?

  /// Unless given: the day on the wall where the person is.
  var day: CalendarDay {
    get throws {
      if let today { return try CalendarDay(iso: today) }
      let offset = TimeInterval(TimeZone.current.secondsFromGMT())
      return CalendarDay(Date(timeIntervalSinceNow: offset))
    }
  }
}

/// The subscription that a command is about.
struct SubscriptionArgument: ParsableArguments {
  @Argument(help: "Its name in any case, its id, or the first four or more characters of the id.")
  var subscription: String
}
