import ArgumentParser
import Foundation
import MySubGuard

struct Add: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Add a subscription.", discussion: Program.exitCodes)

  @Argument(help: "1 to 100 characters.")
  var name: String
  @Option(help: "Per charge, such as 12.99.", transform: Amount.parse)
  var amount: Decimal
  @Option(
    help: "hebdomadaire, mensuel, trimestriel or annuel (weekly, monthly, quarterly, yearly).",
    transform: BillingFrequency.init(named:))
  var frequency: BillingFrequency
  @Option(
    help: ArgumentHelp("The day of the next charge, such as 2026-01-31.", valueName: "day"),
    transform: CalendarDay.init(iso:))
  var next: CalendarDay
  @Option(help: "Pro or Personnel.", transform: SubscriptionCategory.init(named:))
  var category: SubscriptionCategory = .personal
  @Option(help: "Its id; a new one unless given.", transform: uuid)
  var id: UUID?
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let details = try SubscriptionDetails(
      id: id ?? UUID(), name: name, amount: amount,
      schedule: BillingSchedule(frequency: frequency, nextDay: next), category: category, createdAt: .now)
    try device.book(.readWrite).add(details)
    try Report.changed("added", details, as: output)
  }

  @Sendable private static func uuid(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else { throw ValidationError("“\(text)” is not a UUID") }
    return id
  }
}
