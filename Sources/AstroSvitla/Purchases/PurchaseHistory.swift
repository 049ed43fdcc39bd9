public import Foundation
public import Tandem

/// Reads what was bought and spent: lists for people, and the numbers above them.
public actor PurchaseHistory: ModelActor {
  /// The container of the store.
  public nonisolated let modelContainer: ModelContainer
  /// Runs the history's work one piece after another.
  public nonisolated let modelExecutor: any ModelExecutor

  /// Creates a history of a store.
  public init(_ store: AstroSvitlaStore) {
    modelContainer = store.container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(store.container))
  }

  /// The newest purchase first; all of them, or those within a range of dates.
  public func purchases(in dates: Range<Date>? = nil, _ page: Page = .all) throws -> [PurchaseDetails] {
    let range = dates ?? .distantPast..<(.distantFuture)
    let (from, to) = (range.lowerBound, range.upperBound)
    let newest = FetchDescriptor<PurchaseRecord>(
      predicate: #Predicate { $0.purchaseDate >= from && $0.purchaseDate < to },
      sortBy: [
        SortDescriptor(\.purchaseDate, order: .reverse), SortDescriptor(\.environment, order: .reverse),
        SortDescriptor(\.bundleID, order: .reverse), SortDescriptor(\.transactionID, order: .reverse),
      ])
    return try details(of: try modelContext.fetch(page.cut(newest)))
  }

  private func details(of records: [PurchaseRecord]) throws -> [PurchaseDetails] {
    let ledger = try modelContext.creditLedger()
    let revocations = try modelContext.lastRevocations()
    let arrivals = Dictionary(
      grouping: try modelContext.fetch(FetchDescriptor<PurchaseArrival>()), by: \.transactionKey)
    return records.map { record in
      let key = record.key.text
      return PurchaseDetails(record, ledger, arrivals[key] ?? [], revocations[key])
    }
  }

  /// The credits of a purchase in their order, each with what it pays for.
  public func credits(of key: TransactionKey) throws -> [CreditDetails] {
    try modelContext.creditDetails(of: key.text)
  }

  /// The newest first; all of them, or those of a profile, within a range of dates. Each with the credit that pays for
  /// it now, nil for an overdraft.
  public func consumptions(
    profileID: UUID? = nil, in dates: Range<Date>? = nil, _ page: Page = .all
  ) throws -> [ConsumptionDetails] {
    let range = dates ?? .distantPast..<(.distantFuture)
    let (from, to) = (range.lowerBound, range.upperBound)
    let predicate =
      profileID.map { id in
        #Predicate<CreditConsumption> { $0.profileID == id && $0.consumedAt >= from && $0.consumedAt < to }
      } ?? #Predicate<CreditConsumption> { $0.consumedAt >= from && $0.consumedAt < to }
    let newest = FetchDescriptor<CreditConsumption>(
      predicate: predicate,
      sortBy: [SortDescriptor(\.consumedAt, order: .reverse), SortDescriptor(\.requestID, order: .reverse)])
    let payments = try modelContext.creditLedger().payments
    return try modelContext.fetch(page.cut(newest)).map { ConsumptionDetails($0, credit: payments[$0.requestID]) }
  }

  /// The same of several profiles.
  public func consumptions(
    profileIDs: Set<UUID>, in dates: Range<Date>? = nil, _ page: Page = .all
  ) throws -> [ConsumptionDetails] {
    page.part(
      of: try profileIDs.flatMap { try consumptions(profileID: $0, in: dates, page.fromStart) }
        .sorted { ($0.consumedAt, $0.requestID.uuidString) > ($1.consumedAt, $1.requestID.uuidString) })
  }

  /// How the plan stands at a moment. Throws what reading the store throws.
  public func plan(at date: Date = .now) throws -> PlanStanding { try modelContext.planStanding(at: date) }

  /// What was put aside, the newest first.
  public func quarantine() throws -> [QuarantineDetails] {
    try modelContext.fetch(FetchDescriptor<QuarantinedTransaction>()).map { QuarantineDetails($0) }
      .sorted { ($0.firstSeenAt, $0.key) > ($1.firstSeenAt, $1.key) }
  }

  /// The numbers of all purchases. Throws what reading the store throws.
  public func statistics() throws -> PurchaseStatistics {
    let ledger = try modelContext.creditLedger()
    return PurchaseStatistics(
      purchases: try details(of: try modelContext.fetch(FetchDescriptor<PurchaseRecord>())),
      reportCount: try modelContext.fetchCount(FetchDescriptor<ReportPurchase>()), balance: CreditBalance(ledger))
  }
}
