import AppStorePurchases
public import Foundation

extension LocalAppStore {
  /// The reason that a refunded transaction gives.
  ///
  /// ```swift
  /// let entries: [LocalAppStore.Entry] = try await appStore.entries(for: "anna")
  /// for entry in entries where !entry.isFinished {
  ///   try await appStore.refund(entry.id, reason: LocalAppStore.RefundReason.developerIssue)
  /// }
  /// ```
  public enum RefundReason: String, Hashable, Sendable, Codable {
    /// A fault of the app, or any other reason.
    case developerIssue, other
  }

  /// A transaction as the App Store's books have it.
  public struct Entry: Hashable, Sendable, Codable, Identifiable {
    /// The transaction id that apps see: from 0, and from 0 again after a reset.
    public let id: UInt64
    /// The first transaction of the subscription, else ``id``.
    public let originalID: UInt64
    /// The name of the account.
    public let account: String
    /// The device that bought; nil for renewals, family shares and purchases outside of the app.
    public let device: String?
    /// The identifier of the product.
    public let productID: String
    /// The kind of product as signed transactions name it, such as `Consumable`.
    public let productType: String
    /// How many were bought at once: 1 to 10.
    public let quantity: Int
    /// The time of the purchase or renewal, by the App Store's clock.
    public let purchaseDate: Date
    /// The time at which the paid time ends; nil unless it is an auto-renewable subscription.
    public let expirationDate: Date?
    /// For the whole quantity.
    public let price: Decimal
    /// The currency's code of ISO 4217, such as `UAH`.
    public let currency: String
    /// The country's code of ISO 3166-1 alpha-3, such as `UKR`.
    public let storefront: String
    /// The app's own account that the app passed; nil without one.
    public let appAccountToken: UUID?
    /// Whether the account has it from somebody else in the family.
    public let isFamilyShared: Bool
    /// Whether the App Store renewed it; false for a purchase.
    public let isRenewal: Bool
    /// Whether a higher service of the group has taken its place.
    public let isUpgraded: Bool
    /// The time of the refund; nil unless it was revoked.
    public let revocationDate: Date?
    /// Percent of the price that was given back; nil unless it was revoked.
    public let revocationPercentage: Decimal?
    /// Whether an app has finished it.
    public let isFinished: Bool
    /// How often an app finished it: with the first it is finished, the others are repetitions.
    public let finishCount: Int
  }

  /// The books, of one account or of all, in the order of the ids.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func entries(for account: String? = nil) async throws -> [Entry] {
    try await ledger.read { snapshot in
      try snapshot.list(
        LedgerTransaction.self, account.map { [LedgerCondition("account", $0)] } ?? [], by: "number"
      ).map(Entry.init)
    }
  }

  /// Buys outside of the app, as in the App Store itself or by an offer code: no call of an app waits for it, it
  /// arrives through `Transaction.updates`. Payment restrictions and Ask to Buy do not apply. Returns the id.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownAccount`, or `noProducts` where the account cannot buy the product in
  ///   this quantity.
  @discardableResult
  public func buy(
    _ productID: String, for account: String, quantity: Int = 1, appAccountToken: UUID? = nil
  ) async throws -> UInt64 {
    let assortments = assortments
    let order = PurchaseOrder(
      productID: productID, quantity: quantity, appAccountToken: appAccountToken, simulatesAskToBuy: false, offer: nil,
      currency: nil, account: account, device: "", session: nil)
    return try await ledger.commitSettled(account, assortments) { snapshot, edit in
      let counter = PurchaseCounter(assortment: try assortments.assortment(snapshot, edit.settings), order: order)
      guard case .bought(let transaction) = try counter.payApproved(snapshot, &edit) else {
        throw AppStoreTestingError(
          .noProducts, "the product is not sold to this account in this quantity: choose one of those it can buy")
      }
      return transaction.number
    }
  }

  /// Refunds a purchase: the same transaction id, with a revocation date, arrives in `Transaction.updates` of every
  /// device. The family's shares of it are revoked too.
  ///
  /// - Parameters:
  ///   - transactionID: The purchase.
  ///   - reason: The reason that the transaction gives.
  ///   - percentage: Above 0 and below 100 for a prorated refund; nil for all of it.
  /// - Throws: ``AppStoreTestingError``: `unknownTransaction`, or `invalidRequest` for a percentage out of bounds and
  ///   when it is refunded already.
  public func refund(
    _ transactionID: UInt64, reason: RefundReason = .other, percentage: Decimal? = nil
  ) async throws {
    if let percentage, percentage <= 0 || percentage >= 100 {
      throw AppStoreTestingError(
        .invalidRequest, "a prorated refund is above 0 and below 100 percent: leave the percentage out to refund all")
    }
    try await ledger.commit { snapshot, edit in
      let transaction = try snapshot.transaction(transactionID, edit.settings)
      guard transaction.revocationDate == nil else {
        throw AppStoreTestingError(
          .invalidRequest, "the transaction \(transactionID) is refunded already: reverse that refund first")
      }
      try Refund(reason: reason, percentage: percentage).carryOut(transaction, snapshot, &edit)
    }
  }

  /// Takes a refund back: the same transaction id arrives again, without a revocation date.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownTransaction`, or `invalidRequest` for a transaction that is not
  ///   refunded.
  public func reverseRefund(_ transactionID: UInt64) async throws {
    try await ledger.commit { snapshot, edit in
      let transaction = try snapshot.transaction(transactionID, edit.settings)
      guard transaction.revocationDate != nil else {
        throw AppStoreTestingError(
          .invalidRequest, "the transaction \(transactionID) is not refunded: there is nothing to reverse")
      }
      try Refund.reverse(transaction, snapshot, &edit)
    }
  }

  /// Gives another account a family share of a purchase, even of a product that Apple would not share, such as a
  /// consumable: apps must refuse those. Returns the id of the share.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownTransaction` or `unknownAccount`.
  @discardableResult
  public func share(_ transactionID: UInt64, with account: String) async throws -> UInt64 {
    try await ledger.commit { snapshot, edit in
      let transaction = try snapshot.transaction(transactionID, edit.settings)
      let member = try snapshot.account(account)
      let share = transaction.share(with: member.name, number: edit.takeTransactionNumber()).stored(in: edit.settings)
      try edit.insert(share)
      try edit.announce(share)
      return share.number
    }
  }

  /// Delivers a transaction through `Transaction.updates` once more, as it is now.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownTransaction`.
  public func resend(_ transactionID: UInt64) async throws {
    try await ledger.commit { snapshot, edit in
      try edit.announce(try snapshot.transaction(transactionID, edit.settings))
    }
  }

  /// The signed text of a transaction as a device gets it now, for tools and golden files. Defects that wait for the
  /// next token stay waiting.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownTransaction`, or `invalidRequest` for a device on which nothing was
  ///   launched yet.
  public func signedTransaction(_ transactionID: UInt64, device: String) async throws -> String {
    let (state, transaction) = try await ledger.readNow { snapshot, settings, now in
      (try snapshot.soundTokens(settings, now, device: device), try snapshot.transaction(transactionID, settings))
    }
    return try TokenDesk().token(payload: TransactionPayload(transaction, state).json(), state)
  }
}

extension LocalAppStore.Entry {
  init(_ transaction: LedgerTransaction) {
    id = transaction.number
    originalID = transaction.originalNumber
    account = transaction.account
    device = transaction.device
    productID = transaction.productID
    productType = transaction.productType
    quantity = transaction.quantity
    purchaseDate = transaction.purchaseDate
    expirationDate = transaction.expirationDate
    price = transaction.price
    currency = transaction.currency
    storefront = transaction.storefront
    appAccountToken = transaction.appAccountToken
    isFamilyShared = transaction.ownership == .familyShared
    isRenewal = transaction.reason == .renewal
    isUpgraded = transaction.isUpgraded
    revocationDate = transaction.revocationDate
    revocationPercentage = transaction.revocationPercentage
    isFinished = transaction.isFinished
    finishCount = transaction.finishCount
  }
}
