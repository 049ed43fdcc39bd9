import ArgumentParser
import Foundation
import MySubGuard

struct Price: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Note that a price changes, from today or another day on.",
    discussion: """
      The former price stays in the history, which `show` prints. A day to come announces the change: today's price \
      stays, and charges from that day on cost the new one. `edit --amount` corrects a price that was noted wrongly.


      """ + Program.exitCodes)

  @OptionGroup var target: SubscriptionArgument
  @Argument(help: "The new price, per charge, such as 12.99.")
  var amount: String
  @Option(help: ArgumentHelp("The first day that costs the new price; today unless given.", valueName: "day"))
  var since: String?
  @Option(help: "The code of ISO 4217, where the currency changes, too.")
  var currency: String?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let book = try device.book(.readWriteExisting, today.day)
    let stored = try book.subscription(named: target.subscription)
    let currency = try self.currency.map(Currency.init(code:)) ?? stored.currency
    let since = try self.since.map(CalendarDay.init(iso:)) ?? today.day
    let price = Money(try Amount.parse(amount, in: currency), currency)
    // A second word on one day replaces the first: what was before that day is still before it.
    let before = stored.prices.steps.isEmpty ? stored.storedPrice : stored.price(on: since.adding(days: -1))
    guard price != stored.price(on: since) else {
      return try Report.changed(.unchanged, stored, on: today.day, as: output)
    }
    try book.note(PriceStep(since: since, price: price, before: before, notedAt: .now), of: stored.id)
    let details = try book.subscription(named: stored.id.uuidString)
    try Report.changed(.changed, details, on: today.day, as: output)
    guard !output.json, let step = details.prices.steps.last(where: { $0.since == since }) else { return }
    try Report.line("  " + PriceText.line(step, before: before, on: today.day))
  }
}
