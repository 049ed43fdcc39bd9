import ArgumentParser
import Foundation
import MySubGuard

struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show one subscription: what it costs, its next charges, its price history, what was paid.",
    discussion: Program.exitCodes)

  @OptionGroup var target: SubscriptionArgument
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  private static let chargeCount = 3

  func run() async throws {
    let today = try today.day
    let book = try device.book(.readOnly, today)
    let details = try book.subscription(named: target.subscription)
    let payments = try book.payments(of: details.id)
    if output.json { return try Report.data(try SubscriptionList.json(details, payments: payments)) }
    var lines = facts(of: details, on: today)
    lines += PriceText.lines(details.prices, on: today).map { (.rowPrice, $0) }
    let locale = AppLocale.current
    lines += payments.prefix(Self.chargeCount).map { (.rowPaid, "\(locale.text($0.day)) · \(locale.text($0.price))") }
    let width = lines.map { locale.text($0.0).count }.max() ?? 0
    for (title, value) in lines {
      let name = locale.text(title)
      try Report.line(name + String(repeating: " ", count: width + 2 - name.count) + value)
    }
  }

  private func facts(of details: SubscriptionDetails, on today: CalendarDay) -> [(MessageKey, String)] {
    let locale = AppLocale.current
    let year = details.annualPrice(on: today)
    let charges = UpcomingCharge.next(Self.chargeCount, of: [details], from: today)
    let state = details.state(on: today).text
    return [
      (.columnName, details.name), (.columnID, details.id.uuidString),
      (.columnAmount, "\(locale.text(details.storedPrice)) · \(details.schedule.frequency.name())"),
      (.columnMonth, locale.text(Money(year.amount / 12, year.currency))), (.columnYear, locale.text(year)),
      (.columnCategory, details.category.name()),
      (.rowNext, charges.isEmpty ? "–" : charges.map { locale.text($0.day) }.joined(separator: " · ")),
      (.rowSince, locale.text(CalendarDay(details.createdAt))),
    ] + (state.isEmpty ? [] : [(.columnState, state)])
  }
}
