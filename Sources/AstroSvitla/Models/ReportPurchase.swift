public import Foundation
public import Tandem

/// A report that a person owns. Never changes after it was made, and stays readable when its purchase is refunded.
@Model
public final class ReportPurchase {
  #Index<ReportPurchase>([\.generatedAt], [\.profileID, \.generatedAt])
  /// The caller's request: asking again under the same one gives this report and charges nothing.
  @Attribute(.unique) public private(set) var requestID: UUID
  /// What the report is about.
  public private(set) var area: ReportArea
  /// The report itself.
  public private(set) var text: String
  /// `en` or `uk`; kept as it is written.
  public private(set) var languageCode: String
  /// Words with a letter or a digit.
  public private(set) var wordCount: Int
  /// At 200 words a minute, see ``ReportText``.
  public private(set) var readingMinutes: Int
  /// What one credit of the purchase cost; nil where the App Store did not say.
  public private(set) var price: Decimal?
  /// The currency of the price by ISO 4217.
  public private(set) var currencyCode: String?
  /// When the report was made and paid.
  public private(set) var generatedAt: Date
  /// The profile that the chart had then; nil for a chart of no profile.
  public private(set) var profileID: UUID?
  /// The transaction of the plan that the report was made under, by the text of its ``TransactionKey``; nil where a
  /// credit paid for it.
  public private(set) var planTransactionKey: String?
  /// The chart that was read; nil once it was deleted on another device while the report was made.
  public private(set) var chart: BirthChart?

  /// Creates a report. It is stored along with what pays for it, in one commit.
  public init(
    requestID: UUID, area: ReportArea, text: ReportText, price: Decimal?, currencyCode: String?, generatedAt: Date,
    profileID: UUID?, chart: BirthChart, planTransactionKey: String? = nil
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
    self.planTransactionKey = planTransactionKey
    self.chart = chart
  }

  /// How many minutes reading takes: the words, 200 a minute, whole, and at least one.
  public var estimatedReadingTime: Int { readingMinutes }

  /// Whether the report is about an area, under any of the area's names.
  public func isForArea(_ area: ReportArea) -> Bool { self.area.displayed == area.displayed }

  /// The order of lists; the request decides between reports of one moment.
  func isNewer(than other: ReportPurchase) -> Bool {
    (generatedAt, requestID.uuidString) > (other.generatedAt, other.requestID.uuidString)
  }

  /// The App Store's number of the purchase that pays for it; nil for an overdraft. Settles the ledger of all credits
  /// anew. Throws what reading the store throws.
  public var transactionId: String? {
    get throws { try modelContext.flatMap { try $0.payment(of: self) }.map { "\($0.transaction.transactionID)" } }
  }

  /// When that was paid; nil for an overdraft. Throws what reading the store throws.
  public var purchaseDate: Date? {
    get throws { try modelContext.flatMap { try $0.payment(of: self) }?.purchaseDate }
  }
}
