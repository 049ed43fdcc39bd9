extension LocalAppStore {
  /// Makes calls of apps go wrong, in every process. Several faults of one call act one after another.
  ///
  /// - Parameters:
  ///   - fault: The error to throw.
  ///   - call: In which call.
  ///   - times: How often; nil: until ``removeFaults()``.
  ///   - skipped: How many calls take their usual course first.
  ///   - account: Only calls of this account; nil: of all.
  ///   - device: Only calls of this device; nil: of all.
  /// - Throws: ``AppStoreTestingError`` `invalidRequest` for a count below 1, or a negative one to skip.
  public func simulate(
    _ fault: SimulatedFault, on call: StoreCall, times: Int? = 1, afterSkipping skipped: Int = 0,
    account: String? = nil, device: String? = nil
  ) async throws {
    try await add(fault.name, on: call.rawValue, times: times, skipped, account, device)
  }

  /// Makes tokens wrong: what would be verified arrives as `.unverified`.
  ///
  /// - Throws: ``AppStoreTestingError`` `invalidRequest` for a count below 1, or a negative one to skip.
  public func simulate(
    _ defect: TokenDefect, times: Int? = 1, afterSkipping skipped: Int = 0, account: String? = nil,
    device: String? = nil
  ) async throws {
    try await add(defect.rawValue, on: LedgerFault.token, times: times, skipped, account, device)
  }

  /// Takes all faults and defects away that have not acted yet.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func removeFaults() async throws {
    try await ledger.commit { snapshot, edit in
      for fault in try snapshot.list(LedgerFault.self) { try edit.delete(fault) }
    }
  }

  /// How many faults and defects still wait; one without an end counts once.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func faultCount() async throws -> Int {
    try await ledger.read { snapshot in
      try snapshot.list(LedgerFault.self).reduce(0) { $0 + ($1.remaining ?? 1) }
    }
  }

  /// How news of transactions reaches apps from now on.
  ///
  /// - Parameters:
  ///   - copies: How often each arrives in a listener, at least once.
  ///   - delay: How much later, in the App Store's time; drawn for each copy, so that the order changes too.
  ///   - echoesPurchases: Whether a purchase also arrives in the updates of the launch that made it, beside the result
  ///     of `purchase()`.
  ///
  /// - Throws: ``AppStoreTestingError`` `invalidRequest` for a count below 1, or a negative delay.
  public func setUpdateDelivery(
    copies: Int = 1, delay: ClosedRange<Duration> = .zero ... .zero, echoesPurchases: Bool = false
  ) async throws {
    guard copies >= 1, delay.lowerBound >= .zero else {
      throw AppStoreTestingError(
        .invalidRequest, "updates arrive at least once and not before they happen: pass a count of 1 or more")
    }
    try await ledger.commit { _, edit in
      edit.settings.updateCopies = copies
      edit.settings.updateDelayMinimumMilliseconds = delay.lowerBound.wholeMilliseconds
      edit.settings.updateDelayMaximumMilliseconds = delay.upperBound.wholeMilliseconds
      edit.settings.echoesPurchases = echoesPurchases
    }
  }

  private func add(
    _ effect: String, on call: String, times: Int?, _ skipped: Int, _ account: String?, _ device: String?
  ) async throws {
    guard times ?? 1 >= 1, skipped >= 0 else {
      throw AppStoreTestingError(.invalidRequest, "a fault acts at least once: pass a count of 1 or more")
    }
    try await ledger.commit { _, edit in
      let number = edit.takeControlNumber()
      var fault = LedgerFault(id: LedgerFault.id(number: number))
      (fault.number, fault.call, fault.effect) = (number, call, effect)
      (fault.remaining, fault.skipped) = (times, skipped)
      (fault.account, fault.device) = (account, device)
      try edit.insert(fault)
    }
  }
}

extension Duration {
  /// Rounded down.
  var wholeMilliseconds: Int {
    let parts = components
    return Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000)
  }
}
