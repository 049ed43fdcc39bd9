public import Foundation

extension LocalAppStore {
  /// The App Store's time, whole milliseconds: purchase dates, signing dates and renewals are by it, in all processes.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func now() async throws -> Date {
    try await ledger.readNow { _, _, now in now }
  }

  /// Sets the App Store's time apart from the wall clock by `offset`, and lets it run.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func setClockOffset(_ offset: Duration) async throws {
    try await ledger.commit { _, edit in
      edit.settings.stoppedAt = nil
      edit.settings.clockOffsetMilliseconds = offset.wholeMilliseconds
    }
  }

  /// Lets the time stand still: at a date, or as it is now. From then on only ``advanceClock(by:)`` moves it, so that a
  /// test sees every renewal and every delayed update exactly when it wants to.
  ///
  /// The certificates are valid from 2020 to 2049: at other times no token is verified.
  ///
  /// - Throws: ``AppStoreTestingError`` `invalidRequest` for a date outside of the years 1970 to 9999.
  public func stopClock(at date: Date? = nil) async throws {
    guard date.map({ (0..<253_402_300_800).contains($0.timeIntervalSince1970) }) ?? true else {
      throw AppStoreTestingError(.invalidRequest, "the clock shows the years 1970 to 9999: pass a date in between")
    }
    try await ledger.commit { _, edit in
      edit.settings.stoppedAt = Date(milliseconds: (date ?? edit.now).milliseconds)
    }
  }

  /// Moves the time on, running or not, and charges the subscriptions of all accounts that have fallen due.
  ///
  /// - Throws: ``AppStoreTestingError`` `invalidRequest` for a negative duration.
  public func advanceClock(by duration: Duration) async throws {
    guard duration >= .zero else {
      throw AppStoreTestingError(.invalidRequest, "the clock advances forward: stop it at an earlier date instead")
    }
    try await ledger.commit { _, edit in
      if let stopped = edit.settings.stoppedAt {
        edit.settings.stoppedAt = Date(milliseconds: stopped.milliseconds + Int64(duration.wholeMilliseconds))
      } else {
        edit.settings.clockOffsetMilliseconds += duration.wholeMilliseconds
      }
    }
    try await settleAll()
  }

  /// Lets a stopped clock run on from where it stands.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func startClock() async throws {
    let wallClock = ledger.wallClock
    try await ledger.commit { _, edit in
      guard let stopped = edit.settings.stoppedAt else { return }
      edit.settings.clockOffsetMilliseconds = Int(stopped.milliseconds - wallClock().milliseconds)
      edit.settings.stoppedAt = nil
    }
  }

  /// Charges what has fallen due for every account.
  func settleAll() async throws {
    for account in try await ledger.read({ try $0.list(LedgerAccount.self, by: "name") }) {
      try await ledger.settle(account.name, assortments)
    }
  }
}
