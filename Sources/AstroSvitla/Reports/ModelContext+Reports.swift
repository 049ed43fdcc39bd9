import Foundation
import Tandem

extension ModelContext {
  func report(of requestID: UUID) throws -> ReportDetails? {
    try first(#Predicate<ReportPurchase> { $0.requestID == requestID }).map { ReportDetails($0) }
  }

  /// The purchase that pays for a report; nil for an overdraft, and where the purchase was deleted.
  func payment(of report: ReportPurchase) throws -> ReportPayment? {
    let key = try report.planTransactionKey ?? creditLedger().payments[report.requestID]?.transaction
    return try key.flatMap { try purchase(text: $0) }.map { ReportPayment($0) }
  }

  /// Throws `notFound`.
  func chart(_ id: UUID) throws -> BirthChart {
    guard let chart = try first(#Predicate<BirthChart> { $0.id == id }) else {
      throw AstroSvitlaError(.notFound, .chartGone)
    }
    return chart
  }
}
