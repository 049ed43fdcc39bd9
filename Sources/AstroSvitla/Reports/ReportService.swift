public import Foundation
public import Tandem

/// Makes reports: holds a credit, has the text written, and stores report and consumption together.
///
/// The text is written outside of this actor's turn, so several reports may be under way at once.
public actor ReportService: ModelActor {
  public nonisolated let modelContainer: ModelContainer
  public nonisolated let modelExecutor: any ModelExecutor
  private let credits: CreditManager
  private let writer: any ReportWriter
  private let observer: StepObserver

  public init(
    _ store: AstroSvitlaStore, credits: CreditManager, writer: any ReportWriter = NatalReportWriter(),
    observer: StepObserver = .silent
  ) {
    modelContainer = store.container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(store.container))
    self.credits = credits
    self.writer = writer
    self.observer = observer
  }

  /// A report for one credit. The same request id gives the stored report, however often and on whichever device it is
  /// asked, and charges once.
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
    _ = try await credits.reserve(for: requestID, leaseSeconds: leaseSeconds)
    let text: ReportText
    do {
      observer.reached(.writing)
      text = try ReportText(
        try await writer.write(order.area, for: chart, in: order.language), language: order.language)
    } catch {
      try await credits.release(requestID)
      throw Self.failure(error)
    }
    return try Self.same(try await store(text, for: order, requestID, leaseSeconds), as: order)
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
      throw AstroSvitlaError(
        .requestInUse, "the request id belongs to another report: use a new one for each report",
        ukrainian: "цей ідентифікатор запиту належить іншому звітові: беріть новий для кожного звіту")
    }
    return stored
  }

  private static func failure(_ error: any Error) -> any Error {
    if error is CancellationError || error is AstroSvitlaError { return error }
    return AstroSvitlaError(
      .generationFailed, "the report could not be written and its credit is free again: try again later",
      ukrainian: "звіт не вдалося написати, кредит знову вільний: спробуйте пізніше",
      cause: "\(error)")
  }
}

extension ReportService {
  public func report(of requestID: UUID) throws -> ReportDetails? { try modelContext.report(of: requestID) }

  /// Whether a report about the area of the chart was bought, here or on a device that this one has met; areas that are
  /// shown under one name are one. Throws `notFound` when the chart is gone.
  public func hasPurchased(area: ReportArea, for chartID: UUID) throws -> Bool {
    try modelContext.chart(chartID).reports.contains { $0.area.displayed == area.displayed }
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
