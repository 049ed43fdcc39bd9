extension LocalAppStore {
  /// An account as it stands.
  public struct Account: Hashable, Sendable, Codable {
    /// The account's name, by which it is known.
    public let name: String
    /// ISO 3166-1 alpha-3, such as `UKR`.
    public let storefront: String
    /// Whether purchases are turned on.
    public let canMakePayments: Bool
    /// Whether every purchase waits for an approval.
    public let asksToBuy: Bool
    /// The family that the account belongs to; nil without one.
    public let family: String?
    /// Whether its card is refused when subscriptions renew.
    public let failsRenewals: Bool
    /// The devices that are signed in with it, by name.
    public let devices: [String]
  }

  /// Adds an account, or leaves the one of this name as it is.
  ///
  /// - Throws: ``AppStoreTestingError`` `invalidRequest` for an empty name, or a storefront that is not three capital
  ///   letters.
  public func addAccount(_ name: String, storefront: String = "USA") async throws {
    try Self.check(storefront: storefront)
    guard !name.isEmpty else {
      throw AppStoreTestingError(.invalidRequest, "an account needs a name: pass one that is not empty")
    }
    try await ledger.commit { snapshot, edit in
      guard try snapshot.find(LedgerAccount.self, LedgerAccount.id(name: name)) == nil else { return }
      try edit.insert(LedgerAccount(name: name, storefront: storefront))
    }
  }

  /// All accounts, by name.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func accounts() async throws -> [Account] {
    try await ledger.read { snapshot in
      let devices = try snapshot.list(LedgerDevice.self, by: "name")
      return try snapshot.list(LedgerAccount.self, by: "name").map { account in
        Account(
          name: account.name, storefront: account.storefront, canMakePayments: account.canMakePayments,
          asksToBuy: account.asksToBuy, family: account.family, failsRenewals: account.failsRenewals,
          devices: devices.filter { $0.account == account.name }.map(\.name))
      }
    }
  }

  /// Moves an account to another country. Running apps hear of it through `Storefront.updates`; a purchase that they
  /// began at the old prices asks the app's `onStorefrontChange`.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownAccount`, or `invalidRequest` for a code that is not three capital
  ///   letters.
  public func setStorefront(_ countryCode: String, for account: String) async throws {
    try Self.check(storefront: countryCode)
    try await change(account) { account, edit in
      guard account.storefront != countryCode else { return }
      account.storefront = countryCode
      try edit.announceStorefront(of: account.name)
    }
  }

  /// Turns the account's purchases on or off, as parental controls do.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownAccount`.
  public func setCanMakePayments(_ canMakePayments: Bool, for account: String) async throws {
    try await change(account) { account, _ in account.canMakePayments = canMakePayments }
  }

  /// Makes every purchase of the account wait for ``approve(_:)``.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownAccount`.
  public func setAsksToBuy(_ asksToBuy: Bool, for account: String) async throws {
    try await change(account) { account, _ in account.asksToBuy = asksToBuy }
  }

  /// Puts the account into a family, or takes it out. Purchases of members from now on that may be shared belong to
  /// all.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownAccount`.
  public func setFamily(_ family: String?, for account: String) async throws {
    try await change(account) { account, _ in account.family = family }
  }

  /// Changes one account in a commit.
  func change(
    _ name: String, _ body: @escaping @Sendable (inout LedgerAccount, inout LedgerEdit) throws -> Void
  ) async throws {
    try await ledger.commit { snapshot, edit in
      var account = try snapshot.account(name)
      let before = account
      try body(&account, &edit)
      if account != before { try edit.update(account) }
    }
  }

  private static func check(storefront: String) throws {
    guard storefront.utf8.count == 3, storefront.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw AppStoreTestingError(
        .invalidRequest, "a storefront is three capital letters such as USA or UKR: pass the code of ISO 3166-1 alpha-3"
      )
    }
  }
}
