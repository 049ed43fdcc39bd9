import ArgumentParser
import Foundation
import LocalizedTexts
import MySubGuard

struct Edit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Change some values of a subscription; the others stay.",
    discussion: "An amount is corrected where it was noted; `price` notes that it changed.\n\n" + Program.exitCodes)

  @OptionGroup var target: SubscriptionArgument
  @Option(help: "1 to 100 characters.")
  var name: String?
  @Option(parsing: .unconditional, help: "Per charge, such as 12.99.")
  var amount: String?
  @Option(help: "The code of ISO 4217, such as USD.")
  var currency: String?
  @Option(help: .frequency)
  var frequency: String?
  @Option(help: ArgumentHelp("The day of the next charge.", valueName: "day"))
  var next: String?
  @Option(help: "pro or personal.")
  var category: String?
  @Option(help: ArgumentHelp("Nothing is charged before this day; none for no trial.", valueName: "day"))
  var trial: String?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    guard [name, amount, currency, frequency, next, category, trial].contains(where: { $0 != nil }) else {
      throw SubscriptionError(.invalidValue, Sentence(.nothingToEdit))
    }
    let book = try device.book(.readWriteExisting, today.day)
    let stored = try book.subscription(named: target.subscription)
    let details = try edited(stored)
    let isChanged = try book.replace(with: details)
    try Report.changed(isChanged ? .changed : .unchanged, details, on: today.day, as: output)
  }

  private func edited(_ stored: SubscriptionDetails) throws -> SubscriptionDetails {
    let currency = try self.currency.map(Currency.init(code:))
    var standing = stored.standing
    if let trial { standing.trialEnd = trial == "none" ? nil : try CalendarDay(iso: trial) }
    return try stored.edited(
      name: name, amount: amount.map { try Amount.parse($0, in: currency ?? stored.currency) },
      frequency: frequency.map(BillingFrequency.init(named:)), nextDay: next.map(CalendarDay.init(iso:)),
      category: category.map(SubscriptionCategory.init(named:)), currency: currency, standing: standing,
      today: today.day)
  }
}
