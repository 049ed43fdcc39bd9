public import Foundation

/// A stored report as a value.
public struct ReportDetails: Hashable, Codable, Sendable {
  /// The request under which it was made.
  public let requestID: UUID
  /// What the report is about.
  public let area: ReportArea
  /// The report itself.
  public let text: String
  /// `en` or `uk`.
  public let languageCode: String
  /// Words with a letter or a digit.
  public let wordCount: Int
  /// At 200 words a minute, see ``ReportText``.
  public let readingMinutes: Int
  /// What one credit of the purchase cost; nil where the App Store did not say, and under a plan.
  public let price: Decimal?
  /// The currency of the price by ISO 4217.
  public let currencyCode: String?
  /// When it was made and paid.
  public let generatedAt: Date
  /// Nil for a chart of no profile.
  public let profileID: UUID?
  /// Nil once the chart was deleted on another device while this report was made.
  public let chartID: UUID?
  /// Nil where ``chartID`` is.
  public let chartName: String?
  /// Whether it was made under a plan, for no credit.
  public let isPaidByPlan: Bool

  /// Reads a stored report.
  public init(_ report: ReportPurchase) {
    requestID = report.requestID
    area = report.area
    text = report.text
    languageCode = report.languageCode
    wordCount = report.wordCount
    readingMinutes = report.readingMinutes
    price = report.price
    currencyCode = report.currencyCode
    generatedAt = report.generatedAt
    profileID = report.profileID
    chartID = report.chart?.id
    chartName = report.chart?.name
    isPaidByPlan = report.planTransactionKey != nil
  }
}
