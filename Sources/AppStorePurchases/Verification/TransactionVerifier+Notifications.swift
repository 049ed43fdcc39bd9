public import Foundation

// The tokens that a server gets from the App Store beside transactions.
extension TransactionVerifier {
  /// The app transaction of a token, if all steps hold.
  ///
  /// `now` is when the certificates must be valid if the token does not say when it was made.
  ///
  /// - Throws: ``VerificationFailure`` of the first step that does not hold.
  public func appTransaction(from text: String, now: Date) async throws -> AppTransaction {
    let document = try SignedDocument(text)
    let claims = try await verifySignature(of: document, now: now, .appTransaction)
    try verifyBundleID(claims)
    try verifyAppAppleID(claims)
    try verifyEnvironment(claims)
    let transaction = try AppTransaction(reading: SignatureRecord(document))
    try verifyDevice(transaction.deviceVerification, transaction.deviceVerificationNonce)
    return transaction
  }

  /// The notification that the App Store posted, if all steps hold for it, and for the transaction and the renewal info
  /// inside it.
  ///
  /// The text is the member `signedPayload` of what was posted. Tokens inside are bound to no device, so a server's
  /// configuration names none. The App Store posts a notification again until it is answered: know it by its
  /// ``ServerNotification/id``.
  ///
  /// - Throws: ``VerificationFailure`` of the first step that does not hold.
  public func notification(from text: String, now: Date) async throws -> ServerNotification {
    let document = try SignedDocument(text)
    _ = try await verifySignature(of: document, now: now)
    let payload = try ServerNotification.Payload(document.payload)
    let claims = payload.claims
    try verifyBundleID(claims)
    try verifyAppAppleID(claims)
    try verifyEnvironment(claims)
    guard case .data(let data, let tokens) = payload.content else {
      return ServerNotification(payload, document: document, transaction: nil, renewalInfo: nil)
    }
    var (transaction, renewal): (Transaction?, Product.SubscriptionInfo.RenewalInfo?)
    if let text = tokens.transaction { transaction = try await self.transaction(from: text, now: now) }
    if let text = tokens.renewalInfo { renewal = try await renewalInfo(from: text, now: now) }
    // A token belongs to the notification around it.
    guard [transaction?.environment, renewal?.environment].allSatisfy({ $0 == nil || $0 == data.environment }) else {
      throw VerificationFailure(.environment, "a token inside the notification was made in another environment")
    }
    return ServerNotification(payload, document: document, transaction: transaction, renewalInfo: renewal)
  }
}
