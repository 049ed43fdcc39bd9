public import Foundation
public import Tandem

/// A report that a person owns. Never changes after it was made, and stays readable when its purchase is refunded.
@Model
public final class ReportPurchase {
  #Index<ReportPurchase>([\.generatedAt], [\.profileID, \.generatedAt])
  /// The caller's request: asking again under the same one gives this report and charges nothing.
  @Attribute(.unique) public private(set) var requestID: UUID
  public private(set) var area: ReportArea
  public private(set) var text: String
  /// `en` or `uk`; kept as it is written.
  public private(set) var languageCode: String
  public private(set) var wordCount: Int
  /// At 200 words a minute, see ``ReportText``.
  public private(set) var readingMinutes: Int
  /// What one credit of the purchase cost; nil where the App Store did not say.
  public private(set) var price: Decimal?
  public private(set) var currencyCode: String?
  public private(set) var generatedAt: Date
  /// The profile that the chart had then; nil for a chart of no profile.
  public private(set) var profileID: UUID?
  public private(set) var chart: BirthChart?

  public init(
    requestID: UUID, area: ReportArea, text: ReportText, price: Decimal?, currencyCode: String?, generatedAt: Date,
    profileID: UUID?, chart: BirthChart
  ) {
    self.requestID = requestID
    self.area = area
    self.text = text.text
    languageCode = text.language.rawValue
    wordCount = text.wordCount
    readingMinutes = text.readingMinutes
    self.price = price
    self.currencyCode = currencyCode
    self.generatedAt = generatedAt
    self.profileID = profileID
    self.chart = chart
  }
}
