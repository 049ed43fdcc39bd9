import ArgumentParser
import MySubGuard

struct Delete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Delete a subscription.", discussion: Program.exitCodes)

  @OptionGroup var target: SubscriptionArgument
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let book = try device.book(.readWriteExisting, today.day)
    let details = try book.subscription(named: target.subscription)
    try book.delete(details.id)
    try Report.changed(.deleted, details, on: today.day, as: output)
  }
}
