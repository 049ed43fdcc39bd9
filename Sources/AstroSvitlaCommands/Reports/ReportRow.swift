import AstroSvitla
import Foundation

/// A report as JSON; its price is a text, as in all answers.
struct ReportRow: Encodable {
  var requestID: UUID
  var area: ReportArea
  var text: String
  var languageCode: String
  var wordCount: Int
  var readingMinutes: Int
  var price: String?
  var currencyCode: String?
  var generatedAt: Date
  var profileID: UUID?
  var chartID: UUID?
  var chartName: String?

  /// The App Store's number of the purchase that pays for it; only where one report is shown.
  var transaction: String?
  var purchaseDate: Date?
  /// Whether that is a plan.
  var isPaidByPlan: Bool?

  init(_ report: ReportDetails, _ payment: ReportPayment?) {
    self.init(report)
    transaction = payment.map { "\($0.transaction.transactionID)" }
    purchaseDate = payment?.purchaseDate
    isPaidByPlan = payment?.isPlan
  }

  init(_ report: ReportDetails) {
    requestID = report.requestID
    area = report.area
    text = report.text
    languageCode = report.languageCode
    wordCount = report.wordCount
    readingMinutes = report.readingMinutes
    price = report.price.map { "\($0)" }
    currencyCode = report.currencyCode
    generatedAt = report.generatedAt
    profileID = report.profileID
    chartID = report.chartID
    chartName = report.chartName
  }
}
