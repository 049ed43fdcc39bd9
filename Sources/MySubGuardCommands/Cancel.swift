import ArgumentParser
import MySubGuard

struct Cancel: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Cancel a subscription: it ends on a day, and stays in the list.",
    discussion: "Without --end it ends with the time that is paid: on the day of the next charge, which comes no "
      + "more. `resume` takes it back, `delete` forgets it.\n\n" + Program.exitCodes)

  @OptionGroup var target: SubscriptionArgument
  @Option(
    help: ArgumentHelp("The first day without the subscription; no charge comes on it or later.", valueName: "day"))
  var end: String?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let today = try self.today.day
    try StandingChange(target, device, self.today, output).run(.cancelled) { standing, details in
      standing.endDay = try end.map(CalendarDay.init(iso:)) ?? details.firstCharge(onOrAfter: today) ?? today
    }
  }
}
