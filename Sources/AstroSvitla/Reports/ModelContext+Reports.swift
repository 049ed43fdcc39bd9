import Foundation
import Tandem

extension ModelContext {
  func report(of requestID: UUID) throws -> ReportDetails? {
    try first(#Predicate<ReportPurchase> { $0.requestID == requestID }).map { ReportDetails($0) }
  }

  /// Throws `notFound`.
  func chart(_ id: UUID) throws -> BirthChart {
    guard let chart = try first(#Predicate<BirthChart> { $0.id == id }) else {
      throw AstroSvitlaError(
        .notFound, "the chart is gone: it was deleted, see astrosvitla chart list",
        ukrainian: "карти вже немає: її видалено, див. astrosvitla chart list")
    }
    return chart
  }
}
