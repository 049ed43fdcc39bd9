import Foundation
import Tandem

extension ModelContext {
  /// The credits as the records say, settled: a pass over all of them. What is free is found by
  /// ``creditStanding()``.
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

  /// The credits of a purchase in their order, each with what it pays for.
  func creditDetails(of text: String) throws -> [CreditDetails] {
    let ledger = try creditLedger()
    let revoked = Set(ledger.revoked.map(\.key))
    let requests = ledger.payments.reduce(into: [CreditKey: UUID]()) { requests, payment in
      if payment.value.transaction == text { requests[payment.value] = payment.key }
    }
    let credits = try fetch(
      FetchDescriptor<PurchaseCredit>(
        predicate: #Predicate { $0.transactionKey == text }, sortBy: [SortDescriptor(\.ordinal)]))
    return try credits.map { credit in
      let consumption = try requests[credit.key].flatMap { request in
        try first(#Predicate<CreditConsumption> { $0.requestID == request })
      }
      return CreditDetails(
        key: credit.key, purchaseDate: credit.purchaseDate,
        consumption: consumption.map { ConsumptionDetails($0, credit: credit.key) },
        isRevoked: revoked.contains(credit.key))
    }
  }
}
