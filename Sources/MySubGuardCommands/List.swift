import ArgumentParser
import Foundation
import MySubGuard

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List subscriptions by their next charge.", discussion: Program.exitCodes)

  @Option(help: "Only pro or only personal.")
  var category: String?
  @Option(help: ArgumentHelp("Only names that contain this, whatever case and accents.", valueName: "text"))
  var search: String?
  @Option(help: "next, name, amount or year; the largest amounts first, by currency.")
  var sort = SubscriptionBook.Order.next
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let (today, category) = (try today.day, try category.map(SubscriptionCategory.init(named:)))
    let book = try device.book(.readOnly, today)
    if output.json {
      let stored = try book.subscriptions(in: category, matching: search, sortedBy: sort)
      try Report.data(try SubscriptionList.json(stored))
      return
    }
    // A stored day may have passed: the order of the next charges is made here of that by name.
    let all = try book.subscriptions(in: category, matching: search, sortedBy: sort == .next ? .name : sort)
    var lines = all.map { (details: $0, next: $0.firstCharge(onOrAfter: today)) }
    // Those without a charge to come stand at the end.
    if sort == .next { lines.sort { $0.next ?? .last < $1.next ?? .last } }
    try Report.table(
      [
        .columnID, .columnName, .columnAmount, .columnFrequency, .columnNext, .columnCategory, .columnYear,
        .columnState,
      ],
      lines.map { row($0.details, next: $0.next, today: today) }, rightAligned: [2, 6])
    try Report.line(AppLocale.current.count(all.count, .subscriptions))
  }

  private func row(_ details: SubscriptionDetails, next: CalendarDay?, today: CalendarDay) -> [String] {
    let locale = AppLocale.current
    return [
      String(details.id.uuidString.prefix(8)), details.name, locale.text(details.storedPrice),
      details.schedule.frequency.name(), next.map(locale.text) ?? "–", details.category.name(),
      locale.text(details.annualPrice(on: today)), details.state(on: today).text,
    ]
  }
}
