import ArgumentParser
import Foundation
import MySubGuard

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List subscriptions by their next charge.", discussion: Program.exitCodes)

  @Option(help: "Only Pro or only Personnel.", transform: SubscriptionCategory.init(named:))
  var category: SubscriptionCategory?
  @Option(help: ArgumentHelp("Only names that contain this, whatever case and accents.", valueName: "text"))
  var search: String?
  @Option(help: "next, name, amount or year; the largest amounts first.")
  var sort = SubscriptionBook.Order.next
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let book = try device.book(.readOnly)
    if output.json {
      let stored = try book.subscriptions(in: category, matching: search, sortedBy: sort)
      try Report.data(try SubscriptionList.json(stored))
      return
    }
    // A stored day may have passed: the order of the next charges is made here of that by name.
    let all = try book.subscriptions(in: category, matching: search, sortedBy: sort == .next ? .name : sort)
    var charges = all.map { UpcomingCharge(subscription: $0, day: $0.schedule.firstDay(onOrAfter: today.day)) }
    if sort == .next { charges.sort { $0.day < $1.day } }
    let rows = charges.map { charge in
      let details = charge.subscription
      return [
        String(details.id.uuidString.prefix(8)), details.name, Amount.display(details.amount),
        details.schedule.frequency.displayName, charge.day.description, details.category.displayName,
        Amount.display(details.annualAmount),
      ]
    }
    try Report.table(
      ["id", "name", "amount", "frequency", "next charge", "category", "per year"], rows, rightAligned: [2, 6])
    try Report.line("\(all.count) \(all.count == 1 ? "subscription" : "subscriptions")")
  }
}
