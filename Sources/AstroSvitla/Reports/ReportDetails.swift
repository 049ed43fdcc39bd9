public import Foundation

/// A stored report as a value.
public struct ReportDetails: Hashable, Codable, Sendable {
  public let requestID: UUID
  public let area: ReportArea
  public let text: String
  public let languageCode: String
  public let wordCount: Int
  public let readingMinutes: Int
  public let price: Decimal?
  public let currencyCode: String?
  public let generatedAt: Date
  /// Nil for a chart of no profile.
  public let profileID: UUID?
  /// Nil once the chart was deleted on another device while this report was made.
  public let chartID: UUID?
  public let chartName: String?

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
  }
}
