extension Transaction {
  /// The transactions from outside of ``Product/purchase(options:)``: approved Ask to Buy, renewals, purchases on other
  /// devices, refunds. Endless.
  ///
  /// Listen from launch on, in a task of its own. The first listener after launch receives the unfinished transactions
  /// once; a purchase may arrive both here and as the result of `purchase`: expect duplicates.
  public static var updates: Transactions { Transactions(.updates, try? AppStore.client) }

  /// The transactions that were paid but not finished: deliver these at launch.
  public static var unfinished: Transactions { query(.unfinished) }

  /// The history, with refunded consumables: look here at launch for what was revoked meanwhile.
  public static var all: Transactions { query(.all) }

  /// The transactions that let the person use something now: non-consumables that are not revoked, subscriptions that
  /// run, also in a grace period. Never a consumable.
  public static var currentEntitlements: Transactions { query(.currentEntitlements) }

  /// ``currentEntitlements`` of one product.
  public static func currentEntitlements(for productID: String) -> Transactions {
    query(.currentEntitlement(productID: productID))
  }

  /// ``all`` of one product.
  public static func all(for productID: String) -> Transactions {
    query(.history(productID: productID))
  }

  /// The first of ``currentEntitlements(for:)``; always nil for a consumable.
  public static func currentEntitlement(for productID: String) async -> VerificationResult<Transaction>? {
    await currentEntitlements(for: productID).first { _ in true }
  }

  /// The newest transaction of a product, finished or not, refunded or not; nil when there is none or the store cannot
  /// be read.
  public static func latest(for productID: String) async -> VerificationResult<Transaction>? {
    guard let client = try? AppStore.client else { return nil }
    return try? await client.latestTransaction(for: productID)?.from(client)
  }

  /// Asks for the person's money back. Apple's takes a window too, which there is none of here.
  ///
  /// - Throws: ``RefundRequestError`` or ``StoreKitError``.
  public static func beginRefundRequest(for transactionID: UInt64) async throws -> RefundRequestStatus {
    try await AppStore.client.beginRefundRequest(transactionID: transactionID)
  }

  /// ``beginRefundRequest(for:)`` for this transaction.
  ///
  /// - Throws: ``RefundRequestError`` or ``StoreKitError``.
  public func beginRefundRequest() async throws -> RefundRequestStatus {
    try await origin.resolve().beginRefundRequest(transactionID: id)
  }

  private static func query(_ scope: TransactionScope) -> Transactions {
    Transactions(.transactions(scope), try? AppStore.client)
  }
}
