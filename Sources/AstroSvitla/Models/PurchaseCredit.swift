public import Foundation
public import Tandem

/// The right to one report. A pack of five is five of these.
///
/// It never changes: whether it is spent, and for what, follows from all consumptions (``CreditLedger``) and is in
/// ``CreditDetails``. A mark on the credit would be wrong as soon as another device's consumption settles differently.
@Model
public final class PurchaseCredit {
  #Unique<PurchaseCredit>([\.transactionKey, \.ordinal])
  #Index<PurchaseCredit>([\.purchaseDate])
  /// The text of the purchase's ``TransactionKey``.
  public private(set) var transactionKey: String
  /// 0 up to the credits granted, less one.
  public private(set) var ordinal: Int
  /// The purchase's, so that the oldest credit is found without it.
  public private(set) var purchaseDate: Date
  public private(set) var purchase: PurchaseRecord?

  public init(_ ordinal: Int, of purchase: PurchaseRecord) {
    transactionKey = purchase.key.text
    self.ordinal = ordinal
    purchaseDate = purchase.purchaseDate
    self.purchase = purchase
  }

  public var key: CreditKey { CreditKey(transaction: transactionKey, ordinal: ordinal) }
}
