import ArgumentParser
import Foundation
import MySubGuard

struct Add: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Add a subscription.", discussion: Program.exitCodes)

  @Argument(help: "1 to 100 characters.")
  var name: String
  @Option(help: "Per charge, such as 12.99.")
  var amount: String
  @Option(help: "The code of ISO 4217, such as USD.")
  var currency = Currency.euro.rawValue
  @Option(help: .frequency)
  var frequency: String
  @Option(help: ArgumentHelp("The day of the next charge, such as 2026-01-31.", valueName: "day"))
  var next: String
  @Option(help: "pro or personal.")
  var category = SubscriptionCategory.personal.rawValue
  @Option(help: ArgumentHelp("Nothing is charged before this day.", valueName: "day"))
  var trial: String?
  @Option(help: "Its id; a new one unless given.")
  var id: String?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let currency = try Currency(code: currency)
    let schedule = BillingSchedule(
      frequency: try BillingFrequency(named: frequency), nextDay: try CalendarDay(iso: next))
    let details = try SubscriptionDetails(
      id: id.map(SubscriptionList.identifier) ?? UUID(), name: name, amount: Amount.parse(amount, in: currency),
      schedule: schedule, category: SubscriptionCategory(named: category), createdAt: .now, currency: currency,
      standing: Standing(trialEnd: trial.map(CalendarDay.init(iso:))))
    try device.book(.readWrite, today.day).add(details)
    try Report.changed(.added, details, on: today.day, as: output)
  }
}

extension ArgumentHelp {
  static let frequency = ArgumentHelp(
    """
    hebdomadaire, quadrihebdomadaire, mensuel, bimestriel, trimestriel, semestriel or annuel (weekly, four-weekly, \
    monthly, two-monthly, quarterly, half-yearly, yearly).
    """)
}
