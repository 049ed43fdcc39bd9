import ArgumentParser
import MySubGuard

struct Resume: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "End a pause, and take a cancellation back.", discussion: Program.exitCodes)

  @OptionGroup var target: SubscriptionArgument
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try StandingChange(target, device, today, output).run(.resumed) { standing in
      standing.pause = nil
      standing.endDay = nil
    }
  }
}
