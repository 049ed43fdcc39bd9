import Foundation
import Tandem

extension ModelContext {
  /// How the plan stands by the records. Reads every purchase of a plan: one a month.
  func planStanding(at date: Date) throws -> PlanStanding {
    let records = try fetch(FetchDescriptor<PurchaseRecord>(predicate: #Predicate { $0.expiresAt != nil }))
    guard !records.isEmpty else { return PlanStanding() }
    let refunds = try lastRevocations()
    let periods = records.compactMap { record in
      record.expiresAt.map { end in
        let isRevoked = refunds[record.key.text]?.revokedAt != nil
        return PlanStanding.Period(key: record.key, start: record.purchaseDate, end: end, isRevoked: isRevoked)
      }
    }
    var newest = FetchDescriptor<PlanNotice>(sortBy: [SortDescriptor(\.signedAt, order: .reverse)])
    newest.fetchLimit = 1
    let notice = try fetch(newest).first
    return PlanStanding(
      periods: periods, willRenew: notice?.willRenew ?? false, graceEndsAt: notice?.graceEndsAt, at: date)
  }

  /// The App Store's last word about a subscription; nil when it never said anything.
  func lastPlanNotice(of originalKey: String) throws -> PlanNotice? {
    var descriptor = FetchDescriptor<PlanNotice>(
      predicate: #Predicate { $0.originalKey == originalKey }, sortBy: [SortDescriptor(\.signedAt, order: .reverse)])
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first
  }
}
