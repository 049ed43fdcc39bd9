import ArgumentParser
import MySubGuard

struct Totals: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what the subscriptions cost in a month and in a year, by category.",
    discussion: "Years are exact; a month is a twelfth of the year, rounded to cents.\n\n" + Program.exitCodes)

  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let totals = SubscriptionTotals(of: try device.book(.readOnly).subscriptions())
    let lines =
      SubscriptionCategory.allCases.map { ($0.displayName, totals[$0]) } + [("Total", totals.all)]
    if output.json {
      try Report.json(lines.map(Line.init))
      return
    }
    let rows = lines.map { name, sum in
      [name, "\(sum.count)", Amount.display(sum.monthly), Amount.display(sum.annual)]
    }
    try Report.table(["category", "count", "per month", "per year"], rows, rightAligned: [1, 2, 3])
  }

  private struct Line: Encodable {
    var category: String
    var count: Int
    var monthly: String
    var annual: String

    init(name: String, sum: SubscriptionTotals.Sum) {
      category = name
      count = sum.count
      monthly = Amount.text(sum.monthly)
      annual = Amount.text(sum.annual)
    }
  }
}
