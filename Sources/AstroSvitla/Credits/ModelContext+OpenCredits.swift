import Foundation
import RecordStore
import Tandem

// What is free, at the cost of what is open and what happened since it was noted.
extension ModelContext {
  /// What is free now, as it is saved: equal to what ``creditLedger()`` finds by a pass over all records.
  func creditStanding() throws -> CreditStanding {
    try withSnapshot {
      let open = try openCredits().open
      let refunded = try refundedParts(of: Set(open.unspent.keys.lazy.map(\.transaction)))
      let granted = try refunded.keys.reduce(into: [:]) { $0[$1] = try grantedCount(of: $1) }
      return open.standing(refundedParts: refunded, granted: granted)
    }
  }

  /// How many credits of a purchase are spent.
  func usedCount(of text: String) throws -> Int {
    try withSnapshot {
      let open = try openCredits().open
      // Which credits pay for what was displaced, the ledger alone can tell.
      guard open.displacedCount == 0 else { return try creditLedger().usedCount(of: text) }
      let strays = open.strays.reduce(0) { $0 + ($1.key.transaction == text ? $1.value : 0) }
      return try grantedCount(of: text) - open.unspent.keys.count { $0.transaction == text } + strays
    }
  }

  /// Notes what is open if that has become a long way to find out: once in so many changes, so that each look after it
  /// is a short one. Nothing else is written. Throws what saving throws; then the note is as it was.
  ///
  /// - Parameter farChangeCount: How many changes are a long way; the default costs some hundred microseconds.
  func noteOpenCredits(after farChangeCount: Int = 256) throws {
    let (bookmark, changeCount) = try withSnapshot {
      let (open, changeCount) = try openCredits()
      return (CreditBookmark(place: try withStore { try CreditBookmark.Place($0) }, open: open), changeCount)
    }
    guard changeCount ?? .max > farChangeCount, bookmark.open.count <= CreditBookmark.maximumCount else { return }
    let value = try bookmark.encoded()
    _ = try container.store.commit { snapshot in
      let known = CreditBookmark(try snapshot.attachment(CreditBookmark.key))
      // Another process may have noted a later state meanwhile.
      let isNews = known.map { !bookmark.place.leads(to: $0.place) } ?? true
      return (SaveRequest(attachments: isNews ? [StoreAttachment(key: CreditBookmark.key, value: value)] : []), ())
    }
  }

  /// What is open, and how many changes were looked at for that; nil where all records were.
  func openCredits() throws -> (open: OpenCredits, changeCount: Int?) {
    let noted = try withStore { snapshot -> (CreditBookmark, CreditNews)? in
      guard let bookmark = CreditBookmark(try snapshot.attachment(CreditBookmark.key)),
        let news = try CreditNews(after: bookmark, in: snapshot)
      else { return nil }
      return (bookmark, news)
    }
    guard let (bookmark, news) = noted else { return (try openCreditsByPass(), nil) }
    var open = bookmark.open
    try open.add(news.credits, naming: news.consumed) { try credit($0) != nil }
    return (open, news.changeCount)
  }

  private func openCreditsByPass() throws -> OpenCredits {
    var credits: [CreditLedger.Credit] = []
    try withRecords(of: FetchDescriptor<PurchaseCredit>()) { credit in
      credits.append(
        CreditLedger.Credit(
          key: CreditKey(transaction: credit.transactionKey, ordinal: credit.ordinal), purchaseDate: credit.purchaseDate
        ))
    }
    var consumed: [CreditKey] = []
    try withRecords(of: FetchDescriptor<CreditConsumption>()) { consumption in
      consumed.append(CreditKey(transaction: consumption.transactionKey, ordinal: consumption.ordinal))
    }
    var open = OpenCredits()
    open.add(credits, naming: consumed) { _ in false }
    return open
  }

  /// The refunded parts of some purchases, of those that were refunded.
  private func refundedParts(of transactions: Set<String>) throws -> [String: Decimal] {
    if transactions.isEmpty { return [:] }
    return try lastRevocations().filter { transactions.contains($0.key) }.mapValues(\.part).filter { $0.value > 0 }
  }

  private func grantedCount(of text: String) throws -> Int {
    try fetchCount(FetchDescriptor<PurchaseCredit>(predicate: #Predicate { $0.transactionKey == text }))
  }
}
