public import Foundation
public import Tandem

/// The right to one report. A pack of five is five of these. It has no area until it is consumed.
@Model
public final class PurchaseCredit {
  #Unique<PurchaseCredit>([\.transactionKey, \.ordinal])
  #Index<PurchaseCredit>([\.isConsumed, \.purchaseDate])
  #Group<PurchaseCredit>(\.isConsumed, \.consumedAt, \.profileID, \.area)
  /// The text of the purchase's ``TransactionKey``.
  public private(set) var transactionKey: String
  /// 0 up to the credits granted, less one.
  public private(set) var ordinal: Int
  /// The purchase's, so that the oldest credit is found without it.
  public private(set) var purchaseDate: Date
  public private(set) var isConsumed = false
  public private(set) var consumedAt: Date?
  public private(set) var profileID: UUID?
  public private(set) var area: ReportArea?
  public private(set) var purchase: PurchaseRecord?

  public init(_ ordinal: Int, of purchase: PurchaseRecord) {
    transactionKey = purchase.key.text
    self.ordinal = ordinal
    purchaseDate = purchase.purchaseDate
    self.purchase = purchase
  }

  public var key: CreditKey { CreditKey(transaction: transactionKey, ordinal: ordinal) }

  /// All four properties of the group at once: all set, or none.
  func consume(at date: Date, profileID: UUID, area: ReportArea) {
    isConsumed = true
    consumedAt = date
    self.profileID = profileID
    self.area = area
  }
}
