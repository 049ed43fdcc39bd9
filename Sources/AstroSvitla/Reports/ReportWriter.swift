/// Writes the text of a report: the app's own writer on the device, a service over the network, a slow or failing one
/// in tests.
public protocol ReportWriter: Sendable {
  /// A text about an area of a chart. May take long and may throw; the credit is given back then.
  func write(_ area: ReportArea, for chart: NatalChart, in language: AppLanguage) async throws -> String
}
