import ArgumentParser
import Foundation
import MySubGuard

struct Year: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the charges of twelve months, from this one on, as a table and as a picture.",
    discussion: "Charges before a subscription's noted day are not known. The bars of the picture are of the currency "
      + "with the most charges.\n\n" + Program.exitCodes)

  @Option(help: ArgumentHelp("Also draw the year into this file.", valueName: "file"), transform: Report.path)
  var svg: String?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let outlook = YearOutlook(of: try device.book(.readOnly, today.day).subscriptions(), from: try today.day)
    if let svg { try Report.picture(YearChart(outlook).svg, into: svg) }
    let currencies = outlook.currencies.isEmpty ? [Currency.euro] : outlook.currencies
    if output.json {
      let months = currencies.flatMap { currency in outlook.months.map { Month($0, currency) } }
      return try Report.json(months)
    }
    let locale = AppLocale.current
    let rows = outlook.months.map { month in
      [locale.month(of: month.first), "\(month.count)"]
        + currencies.map { locale.text(Money(month.sum($0), $0)) }
    }
    let count = outlook.months.reduce(0) { $0 + $1.count }
    let total = [locale.text(.total), "\(count)"] + currencies.map { locale.text(outlook.sum($0)) }
    let header = [locale.text(.columnMonthName), locale.text(.columnCharges)] + currencies.map(\.rawValue)
    let table = TextTable(rows: [header] + rows + [total], rightAligned: Set(1..<(2 + currencies.count)))
    try Report.table(table)
  }

  private struct Month: Encodable {
    var month: String
    var currency: String
    var amount: String

    init(_ month: YearOutlook.Month, _ currency: Currency) {
      self.month = String(month.first.description.prefix(7))
      self.currency = currency.rawValue
      amount = Amount.text(Money(month.sum(currency), currency))
    }
  }
}
