import ArgumentParser
import Foundation
import MySubGuard

struct Edit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Change some values of a subscription; the others stay.", discussion: Program.exitCodes)

  @OptionGroup var target: SubscriptionArgument
  @Option(help: "1 to 100 characters.")
  var name: String?
  @Option(parsing: .unconditional, help: "Per charge, such as 12.99.", transform: Amount.parse)
  var amount: Decimal?
  @Option(help: "hebdomadaire, mensuel, trimestriel or annuel.", transform: BillingFrequency.init(named:))
  var frequency: BillingFrequency?
  @Option(
    help: ArgumentHelp("The day of the next charge.", valueName: "day"), transform: CalendarDay.init(iso:))
  var next: CalendarDay?
  @Option(help: "Pro or Personnel.", transform: SubscriptionCategory.init(named:))
  var category: SubscriptionCategory?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard name != nil || amount != nil || frequency != nil || next != nil || category != nil else {
      throw ValidationError("say what to change: --name, --amount, --frequency, --next or --category")
    }
  }

  func run() async throws {
    let book = try device.book(.readWriteExisting)
    let details = try book.subscription(named: target.subscription)
      .edited(
        name: name, amount: amount, frequency: frequency, nextDay: next, category: category, today: today.day)
    let isChanged = try book.replace(with: details)
    try Report.changed(isChanged ? "changed" : "unchanged", details, as: output)
  }
}
