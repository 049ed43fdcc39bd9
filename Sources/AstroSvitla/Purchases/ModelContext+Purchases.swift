import Tandem

extension ModelContext {
  func purchase(_ key: TransactionKey) throws -> PurchaseRecord? {
    let (environment, bundleID, number) = (key.environment, key.bundleID, key.transactionID)
    return try first(
      #Predicate<PurchaseRecord> {
        $0.environment == environment && $0.bundleID == bundleID && $0.transactionID == number
      })
  }

  func quarantined(_ key: String) throws -> QuarantinedTransaction? {
    try first(#Predicate<QuarantinedTransaction> { $0.key == key })
  }
}
