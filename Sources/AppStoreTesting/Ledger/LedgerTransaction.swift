import Foundation
import RecordStore

/// One purchase, renewal or family share of one account, as the App Store knows it. Tokens are made of it each time
/// one is asked for: a signed text is of a device and a moment, the transaction is neither.
struct LedgerTransaction: LedgerRecord, Hashable {
  static let entityName = "Transaction"

  enum Ownership: String, LedgerWord {
    case purchased = "PURCHASED"
    case familyShared = "FAMILY_SHARED"
  }

  enum Reason: String, LedgerWord {
    case purchase = "PURCHASE"
    case renewal = "RENEWAL"
  }

  enum RevocationType: String, LedgerWord {
    case full = "REFUND_FULL"
    case prorated = "REFUND_PRORATED"
    case family = "FAMILY_REVOKE"
  }

  var id: RecordID
  /// The transaction id that apps see.
  var number: UInt64 = 0
  var originalNumber: UInt64 = 0
  var account = ""
  var productID = ""
  /// As it stands in a token, such as `Consumable`.
  var productType = ""
  var quantity = 1
  var purchaseDate = Date(milliseconds: 0)
  var originalPurchaseDate = Date(milliseconds: 0)
  var subscriptionGroupID: String?
  /// The rank of the service in its group; 1 is the highest.
  var productLevel: Int?
  /// How long the service's periods are, such as `month 1`.
  var productPeriod: String?
  var expirationDate: Date?
  var isUpgraded = false
  var ownership = Ownership.purchased
  var reason = Reason.purchase
  /// For the whole quantity.
  var price = Decimal(0)
  var currency = ""
  var storefront = ""
  var storefrontID = ""
  var appAccountToken: UUID?
  var offerType: Int?
  var offerID: String?
  var offerPaymentMode: String?
  var revocationDate: Date?
  var revocationReason: Int?
  var revocationType: RevocationType?
  /// Percent, 0 to 100.
  var revocationPercentage: Decimal?
  /// When the App Store last changed what a token says of it; nil as long as it is as it was bought. Rises with each
  /// change, also while the clock stands.
  var changedDate: Date?
  var isFinished = false
  /// When the first `finish` arrived.
  var finishedDate: Date?
  /// How often `finish` arrived.
  var finishCount = 0
  /// The transaction that a family share comes from; nil for any other.
  var sharedFromNumber: UInt64?
  /// The device that bought; nil for renewals, shares and approved purchases.
  var device: String?

  init(id: RecordID) { self.id = id }

  /// Numbers start again at a reset, ids do not.
  static func id(number: UInt64, resetCount: Int) -> RecordID {
    RecordID(high: 16 + UInt64(resetCount), low: number)
  }

  static let indexes = [
    IndexDefinition("account", "isFinished"), IndexDefinition("account", "productID", "number"),
    IndexDefinition("originalNumber"), IndexDefinition("sharedFromNumber"),
  ]

  static let fields: [LedgerField<LedgerTransaction>] = [
    LedgerField("number", \.number),
    LedgerField("originalNumber", \.originalNumber),
    LedgerField("account", \.account),
    LedgerField("productID", \.productID),
    LedgerField("productType", \.productType),
    LedgerField("quantity", \.quantity),
    LedgerField("purchaseDate", \.purchaseDate),
    LedgerField("originalPurchaseDate", \.originalPurchaseDate),
    LedgerField("subscriptionGroupID", \.subscriptionGroupID),
    LedgerField("productLevel", \.productLevel),
    LedgerField("productPeriod", \.productPeriod),
    LedgerField("expirationDate", \.expirationDate),
    LedgerField("isUpgraded", \.isUpgraded),
    LedgerField("ownership", \.ownership),
    LedgerField("reason", \.reason),
    LedgerField("price", \.price),
    LedgerField("currency", \.currency),
    LedgerField("storefront", \.storefront),
    LedgerField("storefrontID", \.storefrontID),
    LedgerField("appAccountToken", \.appAccountToken),
    LedgerField("offerType", \.offerType),
    LedgerField("offerID", \.offerID),
    LedgerField("offerPaymentMode", \.offerPaymentMode),
    LedgerField("revocationDate", \.revocationDate),
    LedgerField("revocationReason", \.revocationReason),
    LedgerField("revocationType", \.revocationType),
    LedgerField("revocationPercentage", \.revocationPercentage),
    LedgerField("changedDate", \.changedDate),
    LedgerField("isFinished", \.isFinished),
    LedgerField("finishedDate", \.finishedDate),
    LedgerField("finishCount", \.finishCount),
    LedgerField("sharedFromNumber", \.sharedFromNumber),
    LedgerField("device", \.device),
  ]
}

extension LedgerTransaction {
  /// Notes until when tokens were signed. A later change is dated after it even if the clock is set back, and is the
  /// newer word for a device that has heard of this state.
  mutating func noteSigning(until now: Date) {
    guard let changed = changedDate else { return }
    changedDate = max(changed, now)
  }

  /// Dates a change of what a token says, later than every token of the state before that an app has finished.
  mutating func noteChange(at now: Date) {
    changedDate = Date(milliseconds: max(now.milliseconds, changedDate?.milliseconds ?? 0) + 1)
  }

  /// Whether the person may use it at `now`: never a consumable, nothing revoked, replaced or expired. A subscription
  /// that is not paid but served has its end in `graceEnd`.
  func isEntitlement(at now: Date, graceEnd: Date?) -> Bool {
    guard productType != "Consumable", revocationDate == nil, !isUpgraded else { return false }
    guard let expirationDate else { return true }
    return now < max(expirationDate, graceEnd ?? expirationDate)
  }
}
