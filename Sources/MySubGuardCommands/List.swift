import ArgumentParser
import Foundation
import MySubGuard

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List subscriptions, the next charge first.",
    discussion: "The JSON form can be imported again.\n\n" + Program.exitCodes)

  @Option(help: "Only Pro or only Personnel.", transform: SubscriptionCategory.init(named:))
  var category: SubscriptionCategory?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let all = try device.book(.readOnly).subscriptions(in: category)
    if output.json {
      try Report.data(try SubscriptionList.json(all))
      return
    }
    let charges = all.map { UpcomingCharge(subscription: $0, day: $0.schedule.firstDay(onOrAfter: today.day)) }
    let rows = charges.sorted(using: UpcomingCharge.order).map { charge in
      let details = charge.subscription
      return [
        String(details.id.uuidString.prefix(8)), details.name, Amount.display(details.amount),
        details.schedule.frequency.displayName, charge.day.description, details.category.displayName,
      ]
    }
    try Report.table(["id", "name", "amount", "frequency", "next charge", "category"], rows, rightAligned: [2])
    try Report.line("\(all.count) \(all.count == 1 ? "subscription" : "subscriptions")")
  }
}
