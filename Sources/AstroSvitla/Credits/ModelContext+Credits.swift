import Foundation
import Tandem

extension ModelContext {
  /// The credits as the records say, settled.
  func creditLedger() throws -> CreditLedger {
    let credits = try fetch(FetchDescriptor<PurchaseCredit>()).map { credit in
      CreditLedger.Credit(key: credit.key, purchaseDate: credit.purchaseDate)
    }
    let consumptions = try fetch(FetchDescriptor<CreditConsumption>()).map(\.value)
    let refunded = try lastRevocations().mapValues(\.part).filter { $0.value > 0 }
    return CreditLedger(credits: credits, consumptions: consumptions, refundedParts: refunded)
  }

  func credit(_ key: CreditKey) throws -> PurchaseCredit? {
    let (transaction, ordinal) = (key.transaction, key.ordinal)
    return try first(#Predicate<PurchaseCredit> { $0.transactionKey == transaction && $0.ordinal == ordinal })
  }
}
