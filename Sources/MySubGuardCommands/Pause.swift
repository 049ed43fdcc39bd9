import ArgumentParser
import MySubGuard

struct Pause: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Pause a subscription: no charges from today or another day on.",
    discussion: "The rhythm goes on meanwhile. Without --until the pause lasts until `resume`.\n\n"
      + Program.exitCodes)

  @OptionGroup var target: SubscriptionArgument
  @Option(help: ArgumentHelp("The first day without a charge; today unless given.", valueName: "day"))
  var from: String?
  @Option(help: ArgumentHelp("The day on which charges go on.", valueName: "day"))
  var until: String?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let start = try from.map(CalendarDay.init(iso:)) ?? today.day
    let pause = try Standing.Pause(from: start, until: until.map(CalendarDay.init(iso:)))
    try StandingChange(target, device, today, output).run(.paused) { $0.pause = pause }
  }
}
