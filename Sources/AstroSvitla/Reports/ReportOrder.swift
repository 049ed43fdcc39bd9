public import Foundation

/// What a person asks for: a report about an area of one chart.
public struct ReportOrder: Hashable, Sendable {
  /// The chart that is read.
  public let chartID: UUID
  /// The area that the report is about.
  public let area: ReportArea
  /// The language of the text.
  public let language: AppLanguage
  /// Whether the person wants another report where one about the area of the chart was bought before.
  public let isAgain: Bool

  /// Throws `areaNotSold` for an area of old reports and for an unknown one.
  public init(chartID: UUID, area: ReportArea, language: AppLanguage, isAgain: Bool = false) throws {
    self.chartID = chartID
    self.area = try ReportArea.checkedForSale(area.rawValue)
    self.language = language
    self.isAgain = isAgain
  }

  /// What an installation pays for once; nil for a report that is bought again on purpose.
  var chargeKey: String? { isAgain ? nil : "\(chartID.uuidString)/\(area.displayed)" }
}
