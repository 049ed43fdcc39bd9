import AstroSvitla
import Foundation

/// One purchase, its credits, and the report that each pays for.
struct TrailAnswer {
  private struct Row: Encodable {
    var transaction: String
    var ordinal: Int
    var state: String
    var consumption: ConsumptionAnswer.Row?
  }

  private let purchases: [PurchaseDetails]
  private let rows: [Row]

  /// Of all environments that have a transaction of the number; people have met one. Throws `notFound`.
  init(of transaction: UInt64, in store: AstroSvitlaStore) async throws {
    let history = PurchaseHistory(store)
    purchases = try await history.purchases().filter { $0.key.transactionID == transaction }
    guard !purchases.isEmpty else {
      throw AstroSvitlaError(.notFound, .noSuchPurchase)
    }
    let names = try await ConsumptionAnswer.profileNames(ChartService(store))
    let reports = ReportService(store, credits: CreditManager(store))
    var rows: [Row] = []
    for purchase in purchases {
      for credit in try await history.credits(of: purchase.key) {
        let report =
          if let spent = credit.consumption { try await reports.report(of: spent.requestID) } else {
            nil as ReportDetails?
          }
        rows.append(Self.row(credit, report, names))
      }
    }
    self.rows = rows
  }

  private static func row(_ credit: CreditDetails, _ report: ReportDetails?, _ names: [UUID: String]) -> Row {
    Row(
      transaction: credit.key.transaction, ordinal: credit.key.ordinal,
      state: credit.isConsumed ? "consumed" : credit.isRevoked ? "refunded" : "available",
      consumption: credit.consumption.map { spent in
        ConsumptionAnswer.Row(spent, chart: report?.chartName, profile: spent.profileID.flatMap { names[$0] })
      })
  }

  func print(_ output: OutputOptions) throws {
    if output.json { return try Report.json(rows) }
    try PurchaseAnswer.print(purchases, output)
    try Report.line("")
    try Report.table(
      output.phrases.trailHeader,
      rows.map { row in
        let spent = row.consumption
        return [
          "\(row.ordinal)", output.phrases.creditState(row.state), spent.map { output.phrases.moment($0.date) } ?? "",
          spent?.area.name(in: output.spoken) ?? "", spent?.chart ?? "", spent?.profile ?? "",
          spent.map { String($0.request.uuidString.prefix(8)) } ?? "",
        ]
      })
  }
}
