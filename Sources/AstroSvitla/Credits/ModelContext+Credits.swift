import Foundation
import Tandem

extension ModelContext {
  /// The credits as the records say, settled.
  func creditLedger() throws -> CreditLedger {
    // Refunds are few: their purchases are looked up once, not per credit.
    let refunded = try fetch(FetchDescriptor<PurchaseRecord>(predicate: #Predicate { $0.revokedAt != nil }))
    let revoked = Set(refunded.map(\.key.text))
    let credits = try fetch(FetchDescriptor<PurchaseCredit>()).map { credit in
      CreditLedger.Credit(
        key: credit.key, purchaseDate: credit.purchaseDate, isRevoked: revoked.contains(credit.transactionKey))
    }
    let consumptions = try fetch(FetchDescriptor<CreditConsumption>()).map(\.value)
    return CreditLedger(credits: credits, consumptions: consumptions)
  }

  func credit(_ key: CreditKey) throws -> PurchaseCredit? {
    let (transaction, ordinal) = (key.transaction, key.ordinal)
    return try first(#Predicate<PurchaseCredit> { $0.transactionKey == transaction && $0.ordinal == ordinal })
  }
}
