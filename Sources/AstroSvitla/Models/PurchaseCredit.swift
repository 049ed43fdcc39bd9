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
  /// The purchase that brought it.
  public private(set) var purchase: PurchaseRecord?

  /// Creates the credit at a place among those of a purchase.
  public init(_ ordinal: Int, of purchase: PurchaseRecord) {
    transactionKey = purchase.key.text
    self.ordinal = ordinal
    purchaseDate = purchase.purchaseDate
    self.purchase = purchase
  }

  /// What makes the credit the same one everywhere.
  public var key: CreditKey { CreditKey(transaction: transactionKey, ordinal: ordinal) }

  /// An id that follows from the transaction and the place in it, the same on every device.
  public var id: UUID { NameBasedID.uuid(of: "credit/\(transactionKey)/\(ordinal)") }

  /// The App Store's number of the purchase; all credits of a pack have the same.
  public var transactionID: String { String(transactionKey.split(separator: "/").last ?? "") }

  /// The same as ``purchase``.
  public var purchaseRecord: PurchaseRecord? { purchase }
}

// What became of it. Each of these settles the ledger of all credits anew, which costs a pass over them: for many
// credits take ``PurchaseHistory/credits(of:)``.
extension PurchaseCredit {
  /// What became of the credit, by the ledger. Nil for one that is not in a store. Throws what reading the store
  /// throws.
  public var details: CreditDetails? {
    get throws { try modelContext.flatMap { try $0.creditDetails(of: transactionKey).first { $0.key == key } } }
  }

  /// Whether it pays for a report. Throws what reading the store throws.
  public var consumed: Bool { get throws { try details?.isConsumed ?? false } }

  /// When it was spent. Throws what reading the store throws.
  public var consumedDate: Date? { get throws { try details?.consumption?.consumedAt } }

  /// The profile of the chart that it was spent for; nil for a chart of no profile. Throws what reading the store
  /// throws.
  public var userProfileID: UUID? { get throws { try details?.consumption?.profileID } }

  /// The area of the report that it pays for; it carries none before. Throws what reading the store throws.
  public var reportArea: ReportArea? { get throws { try details?.consumption?.area } }

  /// Neither spent nor refunded. Throws what reading the store throws.
  public var isAvailable: Bool { get throws { try details?.isAvailable ?? false } }
}
