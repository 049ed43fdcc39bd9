import Foundation
import RecordStore

/// An account's subscription in one group: what runs, until when, and what comes next.
struct LedgerSubscription: LedgerRecord, Hashable {
  static let entityName = "Subscription"

  enum State: String, LedgerWord {
    case subscribed, expired, inBillingRetry, inGracePeriod, revoked
  }

  let id: RecordID
  var account = ""
  var groupID = ""
  var state = State.subscribed
  /// The first transaction of this subscription.
  var originalNumber: UInt64 = 0
  /// The newest.
  var currentNumber: UInt64 = 0
  var productID = ""
  /// The product that is renewed at the end of the period: a lower service takes its turn then.
  var renewalProductID = ""
  var willRenew = true
  /// The end of the paid period, at which the next is charged.
  var expirationDate = Date(milliseconds: 0)
  /// While the charge failed: when the store gives up.
  var billingRetryEnd: Date?
  var graceEnd: Date?
  /// As in a token, `expirationIntent`; nil while it runs.
  var expirationReason: Int?
  var startDate = Date(milliseconds: 0)
  /// The date from which the ends of periods are counted.
  var anchorDate = Date(milliseconds: 0)
  /// How often it was renewed since it started.
  var renewalCount = 0
  /// Whether the account used an introductory offer of the group.
  var hasUsedIntroductoryOffer = false
  /// How many charges of the current offer are still to come, and which offer.
  var offerPeriodsLeft = 0
  var offerType: Int?
  var offerID: String?

  init(id: RecordID) { self.id = id }

  init(account: String, groupID: String, resetCount: Int) {
    self.init(id: Self.id(account: account, groupID: groupID, resetCount: resetCount))
    self.account = account
    self.groupID = groupID
  }

  static func id(account: String, groupID: String, resetCount: Int) -> RecordID {
    RecordID(derivedFrom: [entityName, account, groupID, String(resetCount)])
  }

  static let indexes = [IndexDefinition("account")]
  static let fields: [LedgerField<LedgerSubscription>] = [
    LedgerField("account", \.account),
    LedgerField("groupID", \.groupID),
    LedgerField("state", \.state),
    LedgerField("originalNumber", \.originalNumber),
    LedgerField("currentNumber", \.currentNumber),
    LedgerField("productID", \.productID),
    LedgerField("renewalProductID", \.renewalProductID),
    LedgerField("willRenew", \.willRenew),
    LedgerField("expirationDate", \.expirationDate),
    LedgerField("billingRetryEnd", \.billingRetryEnd),
    LedgerField("graceEnd", \.graceEnd),
    LedgerField("expirationReason", \.expirationReason),
    LedgerField("startDate", \.startDate),
    LedgerField("anchorDate", \.anchorDate),
    LedgerField("renewalCount", \.renewalCount),
    LedgerField("hasUsedIntroductoryOffer", \.hasUsedIntroductoryOffer),
    LedgerField("offerPeriodsLeft", \.offerPeriodsLeft),
    LedgerField("offerType", \.offerType),
    LedgerField("offerID", \.offerID),
  ]
}
