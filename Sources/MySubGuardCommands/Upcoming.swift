import ArgumentParser
import Foundation
import MySubGuard

struct Upcoming: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the charges of the next days.", discussion: Program.exitCodes)

  @Option(parsing: .unconditional, help: "How many days to look ahead, today included.")
  var days = 30
  @Option(help: "Only Pro or only Personnel.", transform: SubscriptionCategory.init(named:))
  var category: SubscriptionCategory?
  @Flag(help: "Print a calendar file with a reminder a day before each charge.")
  var ics = false
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...3_660).contains(days) else { throw ValidationError("--days must be 1 to 3660") }
    if ics && output.json { throw ValidationError("--ics and --json exclude each other") }
  }

  func run() async throws {
    let (start, end) = (today.day, today.day.adding(days: days - 1))
    let charges = UpcomingCharge.all(
      of: try device.book(.readOnly).subscriptions(in: category, sortedBy: .name), from: start, through: end)
    if ics { return try Report.data(Data(ChargeCalendar(charges: charges).text.utf8)) }
    if output.json {
      try Report.json(charges.map(Charge.init))
      return
    }
    let rows = charges.map { charge in
      [
        charge.day.description, charge.day.distance(from: start), charge.subscription.name,
        Amount.display(charge.subscription.amount), charge.subscription.schedule.frequency.displayName,
        charge.subscription.category.displayName,
      ]
    }
    try Report.table(["day", "", "name", "amount", "frequency", "category"], rows, rightAligned: [3])
    let sum = charges.reduce(Decimal(0)) { $0 + $1.subscription.amount }
    let plural = charges.count == 1 ? "charge" : "charges"
    try Report.line("\(charges.count) \(plural) from \(start) to \(end): \(Amount.display(sum))")
  }

  private struct Charge: Encodable {
    var date: String
    var id: String
    var name: String
    var amount: String
    var frequency: String
    var category: String

    init(_ charge: UpcomingCharge) {
      date = charge.day.description
      id = charge.subscription.id.uuidString
      name = charge.subscription.name
      amount = Amount.text(charge.subscription.amount)
      frequency = charge.subscription.schedule.frequency.rawValue
      category = charge.subscription.category.rawValue
    }
  }
}
