extension LocalAppStore {
  /// Begins anew: no transactions, subscriptions, waiting purchases, faults; ids from 0 again; the clock runs with the
  /// wall clock, updates arrive once and at once. Accounts, devices, products and certificates stay.
  ///
  /// An app that keeps what it delivered must be deleted with it, as with Xcode's local environment: it would take the
  /// new transaction 0 for the old one.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func reset() async throws {
    try await ledger.commit { snapshot, edit in
      for record in try snapshot.list(LedgerTransaction.self) { try edit.delete(record) }
      for record in try snapshot.list(LedgerSubscription.self) { try edit.delete(record) }
      for record in try snapshot.list(LedgerRequest.self) { try edit.delete(record) }
      for record in try snapshot.list(LedgerEvent.self) { try edit.delete(record) }
      for record in try snapshot.list(LedgerFault.self) { try edit.delete(record) }
      edit.settings = edit.settings.afterReset()
    }
  }
}

extension LedgerSettings {
  /// The settings that outlive a reset: the App Store's identity, and numbers that must never come again.
  fileprivate func afterReset() -> LedgerSettings {
    var settings = LedgerSettings()
    settings.bundleID = bundleID
    settings.seed = seed
    settings.nextEventNumber = nextEventNumber
    settings.nextControlNumber = nextControlNumber
    settings.resetCount = resetCount + 1
    settings.signingGeneration = signingGeneration
    settings.certificateRevision = certificateRevision
    settings.productRevision = productRevision
    return settings
  }
}
