import ArgumentParser
import Foundation
import MySubGuard

struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show one subscription: what it costs, and its next charges.", discussion: Program.exitCodes)

  @OptionGroup var target: SubscriptionArgument
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  private static let chargeCount = 3

  func run() async throws {
    let details = try device.book(.readOnly).subscription(named: target.subscription)
    if output.json { return try Report.data(try SubscriptionList.json([details])) }
    let charges = UpcomingCharge.next(Self.chargeCount, of: [details], from: today.day)
    let lines = [
      ("name", details.name), ("id", details.id.uuidString),
      ("amount", "\(Amount.display(details.amount)) · \(details.schedule.frequency.displayName)"),
      ("per month", Amount.display(details.monthlyAmount)), ("per year", Amount.display(details.annualAmount)),
      ("category", details.category.displayName),
      ("next", charges.map { "\($0.day)" }.joined(separator: ", ")),
      ("since", "\(CalendarDay(details.createdAt))"),
    ]
    for (title, value) in lines {
      try Report.line(title + String(repeating: " ", count: 11 - title.count) + value)
    }
  }
}
