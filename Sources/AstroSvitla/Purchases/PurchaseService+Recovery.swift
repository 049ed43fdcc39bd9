import AppStorePurchases
import Foundation
import Tandem

// Launching.
extension PurchaseService {
  /// What every launch does, in this order: starts the listener, delivers what is unfinished and tells the App Store
  /// what a crash kept from it, drops the notes of what it knows, looks through the history for refunds and their
  /// reversals, and reads the balance.
  ///
  /// Throws when the App Store or the store can not be read or written; what was done until then is durable, and
  /// calling it again goes on, as a service that listens does by itself. An App Store that cannot be told is no error:
  /// the report says so, the credits are there.
  ///
  /// - Parameter listens: False for a program that does one thing and ends.
  public func launch(listens: Bool = true) async throws -> RecoveryReport {
    if listens { listen() }
    try noteLaunch()
    return try await recover()
  }

  /// ``User/lastActiveAt`` of this installation.
  private func noteLaunch() throws {
    let id = installationID
    guard let user = try modelContext.first(#Predicate<User> { $0.id == id }) else { return }
    try modelContext.commit { user.updateLastActive(at: now()) }
  }

  /// "Recover Interrupted Purchases": brings the account's transactions up to date first, then does what a launch does.
  ///
  /// Delivers what is unfinished, and nothing else: a consumable that was finished was delivered, on this device before
  /// it was set up anew or on another one, and its credits come by synchronising. Delivered again, spent credits would
  /// be given back as often as somebody asks.
  public func restore() async throws -> RecoveryReport {
    try await client.sync()
    return try await recover()
  }

  func recover() async throws -> RecoveryReport {
    do {
      let report = try await recoverOnce()
      if report.unfinishedCount > 0 { takeUpLater() }
      return report
    } catch {
      takeUpLater()
      throw error
    }
  }

  private func recoverOnce() async throws -> RecoveryReport {
    var report = RecoveryReport()
    let unfinished = try await transactions(.unfinished)
    openKeys = Self.keys(of: unfinished)
    try await deliver(unfinished: unfinished, &report)
    let history = try await transactions(.all)
    report.notesDropped = try await dropNotes(of: history)
    for signed in history where try needsLook(signed) {
      report.add(try await deliver(signed, by: .recovery))
    }
    try await lookAtPlans(&report)
    try modelContext.noteOpenCredits()
    report.balance = try modelContext.creditStanding().balance
    return report
  }

  /// Delivers the newest time of each plan of the account, also where another device has finished it, and notes what
  /// the App Store says of its end.
  private func lookAtPlans(_ report: inout RecoveryReport) async throws {
    for status in try await client.subscriptionStatuses(groupID: PlanProduct.groupID) {
      try note(status)
      guard case .verified(let transaction) = status.transaction else { continue }
      let key = TransactionKey(transaction)
      if try !isProcessed(key) { report.add(try await deliver(status.transaction, by: .recovery)) }
    }
    report.plan = try modelContext.planStanding(at: now())
  }

  /// Writes down what the App Store says of the end of a plan, if that is new. A word that does not verify counts for
  /// nothing.
  func note(_ status: Product.SubscriptionInfo.Status) throws {
    guard case .verified(let renewal) = status.renewalInfo, PlanProduct.ids.contains(renewal.currentProductID),
      case .verified(let transaction) = status.transaction, transaction.ownershipType == .purchased
    else { return }
    let notice = PlanNotice(renewal, bundleID: transaction.appBundleID)
    try modelContext.commitRacing {
      let last = try modelContext.lastPlanNotice(of: notice.originalKey)
      if last.map({ notice.isNews(after: $0) }) ?? true { modelContext.insert(notice) }
    }
  }

  /// Whether the transaction was delivered, here or on a device that this one has met. Throws when the store can not be
  /// read: that never means no.
  public func isProcessed(_ key: TransactionKey) throws -> Bool { try modelContext.purchase(key) != nil }

  func transactions(_ scope: TransactionScope) async throws -> [VerificationResult<Transaction>] {
    var found: [VerificationResult<Transaction>] = []
    // The oldest first, so that credits are numbered and dated as they were bought.
    for try await signed in client.transactions(scope) { found.append(signed) }
    return found.reversed()
  }

  /// Drops notes of transactions that the account has and that are not unfinished any more: the answer was lost, the
  /// finish was not. The note of another account's purchase, which came by synchronising, stays for that account.
  private func dropNotes(of history: [VerificationResult<Transaction>]) async throws -> Int {
    guard try modelContext.fetchCount(FetchDescriptor<FinishNote>()) > 0 else { return 0 }
    let owned = Set(Self.keys(of: history).map(\.text))
    // Asked after the history: what another process delivers meanwhile is among both, or not in the history yet.
    let open = Set(try await transactions(.unfinished).map { TransactionKey($0.unsafePayloadValue).text })
    let told = owned.subtracting(open)
    var count = 0
    try modelContext.commitRacing {
      let done = try modelContext.fetch(FetchDescriptor<FinishNote>()).filter { told.contains($0.transactionKey) }
      count = done.count
      guard !done.isEmpty else { return }
      let keys = Set(done.map(\.transactionKey))
      let records = try modelContext.fetch(
        FetchDescriptor<PurchaseRecord>(predicate: #Predicate { $0.finishedAt == nil }))
      for record in records where keys.contains(record.key.text) { record.noteFinished(at: now()) }
      for note in done { modelContext.delete(note) }
    }
    return count
  }

  /// Of the history only what says something new about a refund of a purchase that is known here. A finished consumable
  /// that was never delivered here is not: it was delivered elsewhere.
  private func needsLook(_ signed: VerificationResult<Transaction>) throws -> Bool {
    guard case .verified(let transaction) = signed else { return false }
    let key = TransactionKey(transaction)
    guard try isProcessed(key) else { return transaction.revocationDate != nil && openKeys.contains(key) }
    let known = try modelContext.lastRevocation(of: key)?.state ?? DeliveryDecision.Known()
    return !known.says(PaidTransaction.Revocation(transaction))
  }
}
