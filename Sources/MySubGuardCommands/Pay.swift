import ArgumentParser
import Foundation
import LocalizedTexts
import MySubGuard

struct Pay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Mark a charge as paid.",
    discussion: """
      The charge is the last one until today that is not marked yet, else the next one; or that of --charge. What is \
      paid is no more among the charges to come. Two devices that mark one charge mean one payment.


      """ + Program.exitCodes)

  @OptionGroup var target: SubscriptionArgument
  @Option(help: ArgumentHelp("The day of the charge.", valueName: "day"))
  var charge: String?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let (today, book) = (try today.day, try device.book(.readWriteExisting, try today.day))
    let details = try book.subscription(named: target.subscription)
    let day = try chargeDay(of: details, today: today)
    let paid = PaidCharge(day: day, price: details.price(on: day), paidOn: today)
    guard try book.pay(paid, of: details.id) else {
      throw SubscriptionError(.nothingDue, Sentence(.paidAlready, .text(details.name), "\(day)"))
    }
    if output.json { return try Report.json(Answer(details, paid)) }
    let locale = AppLocale.current
    try Report.line(locale.text(.paid, details.name, locale.text(paid.price), locale.text(day)))
  }

  private func chargeDay(of details: SubscriptionDetails, today: CalendarDay) throws -> CalendarDay {
    if let charge {
      let day = try CalendarDay(iso: charge)
      guard details.isCharged(on: day) else {
        throw SubscriptionError(.nothingDue, Sentence(.noChargeThatDay, .text(details.name), "\(day)"))
      }
      return day
    }
    let past = details.charges(from: details.schedule.nextDay, through: today).last
    guard let day = past ?? details.firstCharge(onOrAfter: today) else {
      throw SubscriptionError(.nothingDue, Sentence(.nothingDue, .text(details.name)))
    }
    return day
  }

  private struct Answer: Encodable {
    var id: String
    var name: String
    var date: String
    var amount: String
    var currency: String
    var paid_on: String

    init(_ details: SubscriptionDetails, _ paid: PaidCharge) {
      (id, name, date) = (details.id.uuidString, details.name, paid.day.description)
      (amount, currency) = (Amount.text(paid.price), paid.price.currency.rawValue)
      paid_on = paid.paidOn.description
    }
  }
}
