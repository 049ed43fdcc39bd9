import Foundation
import RecordStore

/// Something that shall go wrong, a number of times.
struct LedgerFault: LedgerRecord, Hashable {
  static let entityName = "Fault"

  let id: RecordID
  /// Faults act in this order.
  var number: UInt64 = 0
  /// A ``StoreCall``, or a token's delivery.
  var call = ""
  /// The effect: a ``SimulatedFailure`` or a ``TokenDefect``, by name.
  var effect = ""
  /// How often still; nil: until it is taken away.
  var remaining: Int?
  /// Only calls of this account; nil: of all.
  var account: String?
  /// Only calls of this device; nil: of all.
  var device: String?
  /// How many calls pass first.
  var skipped = 0

  init(id: RecordID) { self.id = id }

  static func id(number: UInt64) -> RecordID { RecordID(high: 5, low: number) }

  /// The ``call`` of defects of tokens.
  static let token = "token"

  static let indexes = [IndexDefinition("call", "number")]
  static let fields: [LedgerField<LedgerFault>] = [
    LedgerField("number", \.number),
    LedgerField("call", \.call),
    LedgerField("effect", \.effect),
    LedgerField("remaining", \.remaining),
    LedgerField("account", \.account),
    LedgerField("device", \.device),
    LedgerField("skipped", \.skipped),
  ]
}

// Faults take effect inside the commit of the call that they hit, or in one of their own.
extension LedgerEdit {
  /// The fault that hits this call, used up by one; nil if it takes its usual course.
  mutating func takeFault(
    on call: StoreCall, account: String, device: String, _ snapshot: borrowing StoreSnapshot
  ) throws -> SimulatedFault? {
    try takeEffect(on: call.rawValue, account: account, device: device, snapshot).flatMap(SimulatedFault.init(name:))
  }

  /// The defect of the next token; nil for a sound one.
  mutating func takeDefect(
    account: String, device: String, _ snapshot: borrowing StoreSnapshot
  ) throws -> TokenDefect? {
    try takeEffect(on: LedgerFault.token, account: account, device: device, snapshot)
      .flatMap(TokenDefect.init(rawValue:))
  }

  private mutating func takeEffect(
    on call: String, account: String, device: String, _ snapshot: borrowing StoreSnapshot
  ) throws -> String? {
    guard var fault = try snapshot.faults(on: call, account: account, device: device).first else { return nil }
    if fault.skipped > 0 {
      fault.skipped -= 1
      try update(fault)
      return nil
    }
    if let remaining = fault.remaining {
      fault.remaining = remaining - 1
      if remaining <= 1 { try delete(fault) } else { try update(fault) }
    }
    return fault.effect
  }
}

extension StoreSnapshot {
  /// The faults that wait for a call, in their order.
  func faults(on call: String, account: String, device: String) throws -> [LedgerFault] {
    try list(LedgerFault.self, [LedgerCondition("call", call)], by: "number").filter {
      ($0.account ?? account) == account && ($0.device ?? device) == device
    }
  }
}
