import Foundation
import RecordStore

/// Something that running apps are told. Listeners read events by number, so none is missed however late they look.
struct LedgerEvent: LedgerRecord, Hashable {
  static let entityName = "Event"

  enum Kind: String, LedgerWord {
    /// A transaction is new or has changed: through `Transaction.updates`.
    case transaction
    /// The account's storefront changed.
    case storefront
    /// A subscription of the account changed its state or its plans.
    case subscription
  }

  let id: RecordID
  var number: UInt64 = 0
  var kind = Kind.transaction
  var account = ""
  /// The transaction of a transaction event, of one time between two resets.
  var transactionNumber: UInt64?
  var resetCount = 0
  /// The group of a subscription event.
  var subscriptionGroupID: String?
  /// The launch that has its answer another way; nil: all are told.
  var origin: UInt64?
  /// When each copy arrives, milliseconds since 1970, joined by commas: a list has no field type of its own.
  var arrivals = ""

  init(id: RecordID) { self.id = id }

  init(number: UInt64, _ kind: Kind, account: String) {
    self.init(id: Self.id(number: number))
    self.number = number
    self.kind = kind
    self.account = account
  }

  static func id(number: UInt64) -> RecordID { RecordID(high: 3, low: number) }

  static let indexes = [IndexDefinition("account", "number")]
  static let fields: [LedgerField<LedgerEvent>] = [
    LedgerField("number", \.number),
    LedgerField("kind", \.kind),
    LedgerField("account", \.account),
    LedgerField("transactionNumber", \.transactionNumber),
    LedgerField("resetCount", \.resetCount),
    LedgerField("subscriptionGroupID", \.subscriptionGroupID),
    LedgerField("origin", \.origin),
    LedgerField("arrivals", \.arrivals),
  ]

  var arrivalDates: [Date] {
    get { arrivals.split(separator: ",").compactMap { Int64($0) }.map(Date.init(milliseconds:)) }
    set { arrivals = newValue.map { String($0.milliseconds) }.joined(separator: ",") }
  }
}
