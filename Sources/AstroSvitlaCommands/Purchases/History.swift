import ArgumentParser
import AstroSvitla
import Foundation

struct History: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List purchases, the newest first.", discussion: Program.exitCodes)

  @OptionGroup var dates: DateOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let purchases = try await PurchaseHistory(device.store(.readOnly)).purchases(in: dates.range)
    if output.json { return try Report.json(purchases.map(Row.init)) }
    try Report.table(
      output.phrases.purchaseHeader,
      purchases.map { purchase in
        [
          "\(purchase.key.transactionID)", Report.date(purchase.purchaseDate),
          CreditProduct(rawValue: purchase.productID)?.shortName ?? purchase.productID, "\(purchase.creditsGranted)",
          "\(purchase.creditsUsed)", Report.price(purchase.price, purchase.currencyCode), purchase.storefront,
          output.phrases.delivery(purchase.delivery), output.phrases.state(purchase),
        ]
      })
  }

  private struct Row: Encodable {
    var environment: String
    var bundleID: String
    var transaction: UInt64
    var product: String
    var quantity: Int
    var credits: Int
    var used: Int
    var date: Date
    var price: String?
    var currency: String?
    var storefront: String
    var delivery: String
    var restored: Date?
    var refunded: Date?
    var finished: Date?

    init(_ purchase: PurchaseDetails) {
      environment = purchase.key.environment
      bundleID = purchase.key.bundleID
      transaction = purchase.key.transactionID
      product = purchase.productID
      quantity = purchase.quantity
      credits = purchase.creditsGranted
      used = purchase.creditsUsed
      date = purchase.purchaseDate
      price = purchase.price.map { "\($0)" }
      currency = purchase.currencyCode
      storefront = purchase.storefront
      delivery = purchase.delivery.rawValue
      restored = purchase.restoredAt
      refunded = purchase.revokedAt
      finished = purchase.finishedAt
    }
  }
}

/// A range of days, both included, in UTC.
struct DateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("From this day on, such as 2026-01-31.", valueName: "day"),
    transform: OutputOptions.reading(BirthDay.init(iso:)))
  var from: BirthDay?
  @Option(
    help: ArgumentHelp("Up to this day.", valueName: "day"), transform: OutputOptions.reading(BirthDay.init(iso:)))
  var to: BirthDay?

  func validate() throws {
    if let from, let to, to < from { throw ValidationError("--to is before --from") }
  }

  var range: Range<Date>? {
    guard from != nil || to != nil else { return nil }
    return (from?.date ?? .distantPast)..<(to?.date.addingTimeInterval(86_400) ?? .distantFuture)
  }
}
