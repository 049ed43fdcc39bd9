public import Foundation

/// What a person asks for: a report about an area of one chart.
public struct ReportOrder: Hashable, Sendable {
  public let chartID: UUID
  public let area: ReportArea
  public let language: AppLanguage

  /// Throws `areaNotSold` for an area of old reports and for an unknown one.
  public init(chartID: UUID, area: ReportArea, language: AppLanguage) throws {
    self.chartID = chartID
    self.area = try ReportArea.checkedForSale(area.rawValue)
    self.language = language
  }
}
