import ArgumentParser
import MySubGuard

struct Totals: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what the subscriptions cost in a month and in a year, by currency and category.",
    discussion: "Years are exact; a month is a twelfth of the year, rounded to cents. Currencies are never added. "
      + "What is on trial, paused or ended is left out.\n\n" + Program.exitCodes)

  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let all = try device.book(.readOnly, today.day).subscriptions()
    let totals = SubscriptionTotals(of: all, on: try today.day)
    let currencies = totals.currencies.isEmpty ? [totals.mainCurrency] : totals.currencies
    let lines: [(SubscriptionCategory?, SubscriptionTotals.Sum)] = currencies.flatMap { currency in
      SubscriptionCategory.allCases.map { ($0, totals[currency, $0]) } + [(nil, totals[currency])]
    }
    if output.json { return try Report.json(lines.map(Line.init)) }
    let locale = AppLocale.current
    let rows = lines.map { category, sum in
      [
        category?.name() ?? locale.text(.total), sum.currency.rawValue, "\(sum.count)", locale.text(sum.perMonth),
        locale.text(sum.perYear),
      ]
    }
    try Report.table(
      [.columnCategory, .columnCurrency, .columnCount, .columnMonth, .columnYear], rows, rightAligned: [2, 3, 4])
    if totals.restingCount > 0 { try Report.line(locale.count(totals.restingCount, .resting)) }
  }

  private struct Line: Encodable {
    var category: String
    var currency: String
    var count: Int
    var monthly: String
    var annual: String

    init(category: SubscriptionCategory?, sum: SubscriptionTotals.Sum) {
      self.category = category?.rawValue ?? "total"
      currency = sum.currency.rawValue
      count = sum.count
      monthly = Amount.text(sum.perMonth)
      annual = Amount.text(sum.perYear)
    }
  }
}
