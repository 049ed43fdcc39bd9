import AstroSvitla
import Foundation

/// What credits were spent for, with the names of charts and profiles.
struct ConsumptionAnswer {
  struct Row: Encodable {
    var request: UUID
    var area: ReportArea
    var date: Date
    /// The credit that pays: the transaction's number and its place among that transaction's credits; nil for an
    /// overdraft.
    var transaction: String?
    var ordinal: Int?
    var profile: String?
    var chart: String?

    init(_ consumption: ConsumptionDetails, chart: String?, profile: String?) {
      request = consumption.requestID
      area = consumption.area
      date = consumption.consumedAt
      transaction = consumption.credit?.transaction
      ordinal = consumption.credit?.ordinal
      self.profile = profile
      self.chart = chart
    }

    /// The last part of the key: what people know a transaction by.
    var credit: String? {
      guard let transaction, let ordinal else { return nil }
      return "\(transaction.split(separator: "/").last ?? "")/\(ordinal)"
    }
  }

  let rows: [Row]

  init(in store: AstroSvitlaStore, profile: String?, _ dates: Range<Date>?, _ page: Page) async throws {
    let charts = ChartService(store)
    let history = PurchaseHistory(store)
    let spent =
      if let profile {
        try await history.consumptions(profileIDs: charts.profileIDs(named: profile), in: dates, page)
      } else {
        try await history.consumptions(in: dates, page)
      }
    let names = try await Self.profileNames(charts)
    let reports = ReportService(store, credits: CreditManager(store))
    var rows: [Row] = []
    for consumption in spent {
      let chart = try await reports.report(of: consumption.requestID)?.chartName
      rows.append(Row(consumption, chart: chart, profile: consumption.profileID.flatMap { names[$0] }))
    }
    self.rows = rows
  }

  static func profileNames(_ charts: ChartService) async throws -> [UUID: String] {
    Dictionary(uniqueKeysWithValues: try await charts.profiles().map { ($0.id, $0.name) })
  }

  func print(_ output: OutputOptions) throws {
    if output.json { return try Report.json(rows) }
    try Report.table(
      output.phrases.consumptionHeader,
      rows.map { row in
        [
          String(row.request.uuidString.prefix(8)), output.phrases.moment(row.date), row.area.name(in: output.spoken),
          row.chart ?? "–", row.profile ?? "–", row.credit ?? output.phrases.overdraft,
        ]
      })
  }
}
