public import Foundation
public import Tandem

/// Makes reports: holds a credit, has the text written, and stores report and consumption together.
///
/// The text is written outside of this actor's turn, so several reports may be under way at once.
public actor ReportService: ModelActor {
  /// The container of the store.
  public nonisolated let modelContainer: ModelContainer
  /// Runs the service's work one piece after another.
  public nonisolated let modelExecutor: any ModelExecutor
  private let credits: CreditManager
  private let writer: any ReportWriter
  private let observer: StepObserver
  private let now: @Sendable () -> Date

  /// - Parameters:
  ///   - store: The store of charts and reports.
  ///   - credits: Holds and spends credits.
  ///   - writer: Writes the text.
  ///   - observer: Hears of each step that is done.
  ///   - now: The clock by which a plan runs.
  public init(
    _ store: AstroSvitlaStore, credits: CreditManager, writer: any ReportWriter = NatalReportWriter(),
    observer: StepObserver = .silent, now: @escaping @Sendable () -> Date = { .now }
  ) {
    modelContainer = store.container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(store.container))
    self.credits = credits
    self.writer = writer
    self.observer = observer
    self.now = now
  }

  /// A report for one credit, or for none while a plan runs (``PlanStanding``) as the order comes in. The same request
  /// id gives the stored report, however often and on whichever device it is asked, and charges once.
  ///
  /// - Throws: `alreadyPurchased` (a report about this area of the chart was bought, and the order does not ask for
  ///   another), `notEnoughCredits`, `notFound` (the chart), `requestInUse` (the id is another report's),
  ///   `generationFailed`; nothing is charged then and the credit is free again. Errors of the store.
  public func generate(
    _ order: ReportOrder, requestID: UUID, leaseSeconds: Double = CreditManager.defaultLeaseSeconds
  ) async throws -> ReportDetails {
    if let stored = try modelContext.report(of: requestID) { return try Self.same(stored, as: order) }
    if try !order.isAgain && hasPurchased(area: order.area, for: order.chartID) {
      throw AstroSvitlaError.alreadyPurchased
    }
    let chart = try modelContext.chart(order.chartID).natalChart()
    if let plan = try modelContext.planStanding(at: now()).transactionKey {
      let text = try await text(of: order, chart)
      return try Self.same(try storeUnderPlan(text, for: order, requestID, plan), as: order)
    }
    _ = try await credits.reserve(for: requestID, leaseSeconds: leaseSeconds)
    let text: ReportText
    do {
      text = try await self.text(of: order, chart)
    } catch {
      try await credits.release(requestID)
      throw error
    }
    return try Self.same(try await store(text, for: order, requestID, leaseSeconds), as: order)
  }

  private func text(of order: ReportOrder, _ chart: NatalChart) async throws -> ReportText {
    do {
      observer.reached(.writing)
      return try ReportText(
        try await writer.write(order.area, for: chart, in: order.language), language: order.language)
    } catch {
      throw Self.failure(error)
    }
  }

  /// Under the same once key as a report for a credit: a request is one report, whatever pays.
  private func storeUnderPlan(
    _ text: ReportText, for order: ReportOrder, _ requestID: UUID, _ plan: String
  ) throws -> ReportDetails {
    let chart = try modelContext.chart(order.chartID)
    try modelContext.transaction(once: "report/\(requestID.uuidString)") {
      modelContext.insert(
        ReportPurchase(
          requestID: requestID, area: order.area, text: text, price: nil, currencyCode: nil, generatedAt: now(),
          profileID: chart.profile?.id, chart: chart, planTransactionKey: plan))
    }
    guard let stored = try modelContext.report(of: requestID) else {
      throw AstroSvitlaError(.notFound, .reportDeleted)
    }
    return stored
  }

  /// The text is here, so a lease that ended meanwhile is taken anew rather than the work thrown away.
  private func store(
    _ text: ReportText, for order: ReportOrder, _ requestID: UUID, _ leaseSeconds: Double
  ) async throws -> ReportDetails {
    while true {
      do {
        return try await credits.consume(requestID, for: order, text: text)
      } catch let error as AstroSvitlaError where error.code == .reservationLost {
        _ = try await credits.reserve(for: requestID, leaseSeconds: leaseSeconds)
      } catch let error as AstroSvitlaError {
        try await credits.release(requestID)
        throw error
      }
    }
  }

  private static func same(_ stored: ReportDetails, as order: ReportOrder) throws -> ReportDetails {
    guard stored.area == order.area, stored.chartID == nil || stored.chartID == order.chartID else {
      throw AstroSvitlaError(.requestInUse, .requestInUse)
    }
    return stored
  }

  private static func failure(_ error: any Error) -> any Error {
    if error is CancellationError || error is AstroSvitlaError { return error }
    return AstroSvitlaError(
      .generationFailed, .reportNotWritten,
      cause: "\(error)")
  }
}

extension ReportService {
  /// The stored report of a request; nil if there is none. Throws what reading the store throws.
  public func report(of requestID: UUID) throws -> ReportDetails? { try modelContext.report(of: requestID) }

  /// Whether a report about the area of the chart was bought, here or on a device that this one has met; areas that are
  /// shown under one name are one. Throws `notFound` when the chart is gone.
  public func hasPurchased(area: ReportArea, for chartID: UUID) throws -> Bool {
    try modelContext.chart(chartID).hasPurchased(area: area)
  }

  /// The reports of a chart, the newest first; all of them, or those about an area under any of its names. Throws
  /// `notFound` when the chart is gone.
  public func reports(ofChart chartID: UUID, area: ReportArea? = nil) throws -> [ReportDetails] {
    let reports = try modelContext.chart(chartID).reports.filter { report in area.map(report.isForArea) ?? true }
    return reports.sorted { $0.isNewer(than: $1) }.map { ReportDetails($0) }
  }

  /// What paid for a report: the credit's purchase, or the plan's. Nil for a report that is not there, and for an
  /// overdraft. Throws what reading the store throws.
  public func payment(of requestID: UUID) throws -> ReportPayment? {
    guard let report = try modelContext.first(#Predicate<ReportPurchase> { $0.requestID == requestID }) else {
      return nil
    }
    return try modelContext.payment(of: report)
  }

  /// Where the areas that are sold stand for a chart, in the order of the shop, with so many free credits. Throws
  /// `notFound` when the chart is gone.
  public func offers(for chartID: UUID, availableCredits: Int) throws -> [AreaOffer] {
    let owned = Set(try modelContext.chart(chartID).reports.map(\.area.displayed))
    return ReportArea.sold.map { area in
      AreaOffer(
        area: area, state: owned.contains(area.displayed) ? .owned : availableCredits > 0 ? .available : .locked)
    }
  }

  /// Newest first: those of several profiles, made within a range of dates.
  public func reports(
    profileIDs: Set<UUID>, in dates: Range<Date>? = nil, _ page: Page = .all
  ) throws -> [ReportDetails] {
    page.part(
      of: try profileIDs.flatMap { try reports(profileID: $0, in: dates, page.fromStart) }
        .sorted { ($0.generatedAt, $0.requestID.uuidString) > ($1.generatedAt, $1.requestID.uuidString) })
  }

  /// Newest first; all of them, or those of a profile, made within a range of dates.
  public func reports(
    profileID: UUID? = nil, in dates: Range<Date>? = nil, _ page: Page = .all
  ) throws -> [ReportDetails] {
    let range = dates ?? .distantPast..<(.distantFuture)
    let (from, to) = (range.lowerBound, range.upperBound)
    let newest = [
      SortDescriptor(\ReportPurchase.generatedAt, order: .reverse),
      SortDescriptor(\ReportPurchase.requestID, order: .reverse),
    ]
    guard let profileID else {
      return try modelContext.fetch(
        page.cut(
          FetchDescriptor(predicate: #Predicate { $0.generatedAt >= from && $0.generatedAt < to }, sortBy: newest))
      ).map { ReportDetails($0) }
    }
    return try modelContext.fetch(
      page.cut(
        FetchDescriptor(
          predicate: #Predicate { $0.profileID == profileID && $0.generatedAt >= from && $0.generatedAt < to },
          sortBy: newest))
    ).map { ReportDetails($0) }
  }
}
