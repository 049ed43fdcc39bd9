public import Foundation
import RecordStore
public import Tandem

/// Holds, gives back and spends credits. An actor with a context of its own; any number of them, in any number of
/// processes, may work on one store.
///
/// What is free is worked out from the records at each call, as ``CreditLedger`` says; there is no stored balance that
/// could be wrong. It costs what is open and what happened since that was last noted, however many credits were spent.
public actor CreditManager: ModelActor {
  /// How long a credit is held for a report that is being written.
  public static let defaultLeaseSeconds = 600.0
  /// The longest lease; a longer one is cut to it.
  public static let maximumLeaseSeconds = 86_400.0

  /// The container of the store.
  public nonisolated let modelContainer: ModelContainer
  /// Runs the manager's work one piece after another.
  public nonisolated let modelExecutor: any ModelExecutor
  private let installation: Installation
  private let observer: StepObserver
  private let now: @Sendable () -> Date

  /// - Parameters:
  ///   - store: The store of credits and reservations.
  ///   - observer: Hears of each step that is done.
  ///   - now: The clock of leases and dates.
  public init(
    _ store: AstroSvitlaStore, observer: StepObserver = .silent, now: @escaping @Sendable () -> Date = { .now }
  ) {
    modelContainer = store.container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(store.container))
    installation = store.installation
    self.observer = observer
    self.now = now
  }
}

// Reading.
extension CreditManager {
  /// The credits as they stand, settled. Reads every credit and consumption.
  public func ledger() throws -> CreditLedger { try modelContext.creditLedger() }

  /// The numbers of the ledger, without a pass over what was spent. Throws what reading the store throws.
  public func balance() throws -> CreditBalance { try modelContext.creditStanding().balance }

  /// Free credits that nobody holds, the oldest purchase first.
  public func availableCredits() throws -> [CreditLedger.Credit] {
    let held = try heldCredits()
    return try modelContext.creditStanding().free.filter { !held.contains($0.key) }
  }

  /// The number of free credits that nobody holds. Throws what reading the store throws.
  public func availableCount() throws -> Int { try availableCredits().count }

  private func heldCredits() throws -> Set<CreditKey> {
    let date = now()
    let current = FetchDescriptor<CreditReservation>(
      predicate: #Predicate { $0.isSpent == false && $0.expiresAt > date })
    return Set(try modelContext.fetch(current).filter { $0.holds(at: date) }.map(\.credit))
  }

  private func isFree(_ credit: CreditKey) throws -> Bool {
    try modelContext.creditStanding().free.contains { $0.key == credit }
  }

  /// What a request was given, if its lease runs; nil otherwise.
  public func reservation(of requestID: UUID) throws -> Reservation? {
    guard let found = try record(of: requestID), found.holds(at: now()) else { return nil }
    return Reservation(requestID: requestID, credit: found.credit, expiresAt: found.expiresAt)
  }

  private func record(of requestID: UUID) throws -> CreditReservation? {
    let installationID = installation.id
    return try modelContext.first(
      #Predicate<CreditReservation> {
        $0.requestID == requestID && $0.installationID == installationID && !$0.isSpent
      })
  }
}

// Holding and giving back.
extension CreditManager {
  /// Holds the oldest free credit for a request. The same request gets the credit that it has, and a new lease.
  ///
  /// Throws `notEnoughCredits`; nothing is held then. Durable when it returns.
  public func reserve(
    for requestID: UUID, leaseSeconds: Double = CreditManager.defaultLeaseSeconds
  ) throws -> Reservation {
    let leaseSeconds = min(max(leaseSeconds, 0), Self.maximumLeaseSeconds)
    try modelContext.noteOpenCredits()
    // Others may take a credit between our look and our commit; each round sees what they did.
    while true {
      if let renewed = try renew(requestID, leaseSeconds) { return renewed }
      guard let credit = try availableCredits().first?.key else {
        throw AstroSvitlaError(.notEnoughCredits, .noFreeCredit)
      }
      if let reservation = try take(credit, for: requestID, leaseSeconds) { return reservation }
    }
  }

  private func renew(_ requestID: UUID, _ leaseSeconds: Double) throws -> Reservation? {
    guard let record = try record(of: requestID) else { return nil }
    // Somebody may have spent it on another device, or a refund taken it, while the lease had ended.
    let isFree = try isFree(record.credit)
    do {
      try modelContext.commit {
        if isFree {
          record.extend(to: now().addingTimeInterval(leaseSeconds))
        } else {
          modelContext.delete(record)
        }
      }
    } catch let error as StoreError where error.code == .recordNotFound {
      return nil
    }
    return isFree ? Reservation(requestID: requestID, credit: record.credit, expiresAt: record.expiresAt) : nil
  }

  /// Nil when another process was faster.
  private func take(_ credit: CreditKey, for requestID: UUID, _ leaseSeconds: Double) throws -> Reservation? {
    let expiresAt = now().addingTimeInterval(leaseSeconds)
    do {
      guard try isStillFree(credit) else { return nil }
      try modelContext.commit {
        try reservation(of: credit).map { modelContext.delete($0) }
        modelContext.insert(
          CreditReservation(
            requestID: requestID, credit: credit, installationID: installation.id, expiresAt: expiresAt))
      }
    } catch let error as StoreError where [.uniquenessViolation, .recordNotFound].contains(error.code) {
      return nil
    }
    observer.reached(.reserved)
    return Reservation(requestID: requestID, credit: credit, expiresAt: expiresAt)
  }

  /// Whether a reservation that is in the way may go. One whose lease has ended may; of one that is spent, the credit
  /// may have been spent since it looked free.
  private func isStillFree(_ credit: CreditKey) throws -> Bool {
    guard let known = try reservation(of: credit) else { return true }
    if known.holds(at: now()) { return false }
    return try !known.isSpent || isFree(credit)
  }

  private func reservation(of credit: CreditKey) throws -> CreditReservation? {
    let (transaction, ordinal, installationID) = (credit.transaction, credit.ordinal, installation.id)
    return try modelContext.first(
      #Predicate<CreditReservation> {
        $0.transactionKey == transaction && $0.ordinal == ordinal && $0.installationID == installationID
      })
  }

  /// Gives a held credit back. Harmless when there is none, or it is spent.
  public func release(_ requestID: UUID) throws {
    guard let record = try record(of: requestID) else { return }
    do {
      try modelContext.commit { modelContext.delete(record) }
    } catch let error as StoreError where error.code == .recordNotFound {
      // Its lease had ended and somebody else took the credit: given back already.
      return
    }
  }
}

// Spending.
extension CreditManager {
  /// Spends the request's credit and stores its report, in one commit: both are there, or neither.
  ///
  /// A request that was paid before, here or on any device, gives its stored report and charges nothing; the credit
  /// that was held for it is free again.
  ///
  /// - Throws: `reservationLost` when the lease ended and another request has the credit: reserve again, nothing was
  ///   charged. `alreadyPurchased` when this installation has paid for the area of the chart meanwhile. `notFound` when
  ///   the chart is gone. Errors of the store; then nothing was charged either.
  public func consume(_ requestID: UUID, for order: ReportOrder, text: ReportText) throws -> ReportDetails {
    if let stored = try modelContext.report(of: requestID) {
      try release(requestID)
      return stored
    }
    // Also lost: a credit that was refunded, or spent on another device, while the text was written.
    guard let record = try record(of: requestID), try isFree(record.credit) else { throw Self.reservationLost }
    let chart = try modelContext.chart(order.chartID)
    guard let credit = try modelContext.credit(record.credit) else { throw Self.reservationLost }
    let date = now()
    do {
      try modelContext.transaction(once: "report/\(requestID.uuidString)") {
        record.spend()
        modelContext.insert(
          CreditConsumption(
            requestID: requestID, credit: record.credit, consumedAt: date, profileID: chart.profile?.id,
            area: order.area, installationID: installation.id))
        order.chargeKey.map { modelContext.insert(AreaCharge($0, installationID: installation.id)) }
        modelContext.insert(
          ReportPurchase(
            requestID: requestID, area: order.area, text: text, price: credit.purchase?.pricePerCredit,
            currencyCode: credit.purchase?.currencyCode, generatedAt: date, profileID: chart.profile?.id, chart: chart))
        observer.reached(.consuming)
      }
    } catch let error as StoreError where error.code == .recordNotFound {
      throw Self.reservationLost
    } catch let error as StoreError where error.code == .uniquenessViolation && order.chargeKey != nil {
      // Another process paid for the same area of the same chart while this text was written.
      throw AstroSvitlaError.alreadyPurchased
    }
    observer.reached(.consumed)
    guard let stored = try modelContext.report(of: requestID) else {
      throw AstroSvitlaError(.notFound, .reportDeleted)
    }
    try release(requestID)
    return stored
  }

  private static var reservationLost: AstroSvitlaError {
    AstroSvitlaError(.reservationLost, .reservationLost)
  }
}
