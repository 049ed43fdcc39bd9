import ArgumentParser
import Foundation
import LocalizedTexts
import MySubGuard

struct Upcoming: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the charges of the next days; remind of them.",
    discussion: """
      --notify hands each charge to a program, once: COMMAND is run by /bin/sh with the reminder's sentence as its \
      last argument, such as --notify 'notify-send MySubGuard'. Its environment has MYSUBGUARD_ID, _NAME, _DATE, \
      _DAYS, _AMOUNT, _CURRENCY and _CATEGORY; what it prints goes to standard error. A reminder that the program \
      takes (code 0 within --time-limit) is noted beside the store and not told again on this device. One that fails \
      is tried again next time, and so is one at which this command was killed.


      """ + Program.exitCodes)

  @Option(parsing: .unconditional, help: "How many days to look ahead, today included.")
  var days = 30
  @Option(help: "Only pro or only personal.")
  var category: String?
  @Flag(help: "Print a calendar file with a reminder a day before each charge.")
  var ics = false
  @Option(help: ArgumentHelp("Hand each charge that was not told before to a program.", valueName: "command"))
  var notify: String?
  @Option(help: ArgumentHelp("How long the program may take for a reminder.", valueName: "seconds"))
  var timeLimit = 30.0
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try check()
    let today = try today.day
    let end = today.adding(days: days - 1)
    let book = try device.book(.readOnly, today)
    let charges = UpcomingCharge.all(
      of: try book.subscriptions(in: category.map(SubscriptionCategory.init(named:)), sortedBy: .name), from: today,
      through: end)
    if let notify { return try remind(of: charges, by: notify, in: book) }
    if ics { return try Report.data(Data(ChargeCalendar(charges: charges).text.utf8)) }
    if output.json { return try Report.json(charges.map(Charge.init)) }
    try list(charges, from: today, to: end)
  }

  private func check() throws {
    let trouble: MessageKey? =
      if !(1...3_660).contains(days) {
        .daysOutside
      } else if [ics, output.json, notify != nil].count(where: \.self) > 1 {
        .oneFormAtATime
      } else if !(0.1...3_600).contains(timeLimit) { .timeLimitOutside } else { nil }
    if let trouble { throw SubscriptionError(.invalidValue, Sentence(trouble)) }
  }

  private func list(_ charges: [UpcomingCharge], from today: CalendarDay, to end: CalendarDay) throws {
    let locale = AppLocale.current
    let rows = charges.map { charge in
      [
        locale.text(charge.day), locale.distance(of: charge.day, from: today), charge.subscription.name,
        locale.text(charge.price), charge.subscription.schedule.frequency.name(), charge.subscription.category.name(),
      ]
    }
    try Report.table(
      [.columnDay, .columnDistance, .columnName, .columnAmount, .columnFrequency, .columnCategory], rows,
      rightAligned: [3])
    let sums = charges.reduce(into: [Currency: Decimal]()) { $0[$1.price.currency, default: 0] += $1.price.amount }
    let texts = (sums.isEmpty ? [.euro: 0] : sums).sorted { $0.key < $1.key }.map {
      locale.text(Money($0.value, $0.key))
    }
    let count = locale.count(charges.count, .charges)
    try Report.line(
      locale.text(.chargesBetween, count, locale.text(today), locale.text(end), texts.joined(separator: " + ")))
  }

  private func remind(of charges: [UpcomingCharge], by command: String, in book: SubscriptionBook) throws {
    let program = ReminderProgram(command: command, limitSeconds: timeLimit)
    let today = book.today
    let summary = try book.reminders.tell(charges.map { Reminder($0, today: today) }, on: today, by: program.tell)
    for reminder in summary.told { try Report.line(AppLocale.current.text(.told, reminder.text)) }
    try Report.line(
      AppLocale.current.text(
        .toldSummary, "\(summary.told.count)", "\(summary.known.count)", "\(summary.failed.count)"))
    if let first = summary.failed.first { throw first.reason }
  }

  private struct Charge: Encodable {
    var date: String
    var id: String
    var name: String
    var amount: String
    var currency: String
    var frequency: String
    var category: String

    init(_ charge: UpcomingCharge) {
      date = charge.day.description
      id = charge.subscription.id.uuidString
      name = charge.subscription.name
      amount = Amount.text(charge.price)
      currency = charge.price.currency.rawValue
      frequency = charge.subscription.schedule.frequency.rawValue
      category = charge.subscription.category.rawValue
    }
  }
}
