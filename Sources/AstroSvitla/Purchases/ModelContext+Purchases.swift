import Tandem

extension ModelContext {
  func purchase(_ key: TransactionKey) throws -> PurchaseRecord? {
    let (environment, bundleID, number) = (key.environment, key.bundleID, key.transactionID)
    return try first(
      #Predicate<PurchaseRecord> {
        $0.environment == environment && $0.bundleID == bundleID && $0.transactionID == number
      })
  }

  /// The purchase of a key's text; nil where there is none.
  func purchase(text: String) throws -> PurchaseRecord? { try TransactionKey(text: text).flatMap { try purchase($0) } }

  /// How a purchase reached each installation that received it.
  func arrivals(of key: TransactionKey) throws -> [PurchaseArrival] {
    let text = key.text
    return try fetch(FetchDescriptor<PurchaseArrival>(predicate: #Predicate { $0.transactionKey == text }))
  }

  /// The App Store's last word about a refund of a purchase; nil when it never said anything.
  func lastRevocation(of key: TransactionKey) throws -> RevocationNotice? {
    let text = key.text
    var descriptor = FetchDescriptor<RevocationNotice>(
      predicate: #Predicate { $0.transactionKey == text }, sortBy: [SortDescriptor(\.signedAt, order: .reverse)])
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first
  }

  /// The last word of each purchase that was ever refunded, by the text of its key. Refunds are few.
  func lastRevocations() throws -> [String: RevocationNotice] {
    try fetch(FetchDescriptor<RevocationNotice>()).reduce(into: [:]) { last, notice in
      if let known = last[notice.transactionKey], known.signedAt >= notice.signedAt { return }
      last[notice.transactionKey] = notice
    }
  }

  func arrival(_ key: TransactionKey, _ installationID: UUID) throws -> PurchaseArrival? {
    let text = key.text
    return try first(
      #Predicate<PurchaseArrival> { $0.transactionKey == text && $0.installationID == installationID })
  }

  func quarantined(_ key: String) throws -> QuarantinedTransaction? {
    try first(#Predicate<QuarantinedTransaction> { $0.key == key })
  }
}
