import Foundation
import RecordStore

/// A purchase that waits for somebody: a parent's answer, or a step outside the app. Nothing is paid yet.
struct LedgerRequest: LedgerRecord, Hashable {
  static let entityName = "PurchaseRequest"

  enum Kind: String, LedgerWord {
    case askToBuy, interrupted
  }

  enum State: String, LedgerWord {
    case waiting, approved, declined, expired
  }

  let id: RecordID
  /// Counts up, so that requests can be told apart and listed in order.
  var number: UInt64 = 0
  var kind = Kind.askToBuy
  var state = State.waiting
  var account = ""
  var device = ""
  var productID = ""
  var quantity = 1
  var appAccountToken: UUID?
  var requestDate = Date(milliseconds: 0)
  /// The transaction of an approval.
  var transactionNumber: UInt64?

  init(id: RecordID) { self.id = id }

  static func id(number: UInt64) -> RecordID { RecordID(high: 4, low: number) }

  static let indexes = [IndexDefinition("state", "number"), IndexDefinition("number")]
  static let fields: [LedgerField<LedgerRequest>] = [
    LedgerField("number", \.number),
    LedgerField("kind", \.kind),
    LedgerField("state", \.state),
    LedgerField("account", \.account),
    LedgerField("device", \.device),
    LedgerField("productID", \.productID),
    LedgerField("quantity", \.quantity),
    LedgerField("appAccountToken", \.appAccountToken),
    LedgerField("requestDate", \.requestDate),
    LedgerField("transactionNumber", \.transactionNumber),
  ]
}
