import ArgumentParser
import Foundation
import MySubGuard

struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print all subscriptions as a file for other programs.",
    discussion: """
      csv and json are what `import` reads, with every value; price histories and payments stay in the store. ics is \
      a calendar (RFC 5545) with an event that repeats and a reminder a day before, for each subscription.


      """ + Program.exitCodes)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case csv, json, ics
  }

  @Option(help: "csv, json or ics.")
  var format = Format.csv
  @Option(help: "Only pro or only personal.")
  var category: String?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions

  func run() async throws {
    let all = try device.book(.readOnly, today.day).subscriptions(
      in: category.map(SubscriptionCategory.init(named:)))
    switch format {
    case .csv: try Report.text(SubscriptionList.csv(all))
    case .json: try Report.data(try SubscriptionList.json(all))
    case .ics: try Report.text(ChargeCalendar(subscriptions: all).text)
    }
  }
}
