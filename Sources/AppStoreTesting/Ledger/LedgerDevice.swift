import Foundation
import RecordStore

/// A device, and the account that it is signed in with.
struct LedgerDevice: LedgerRecord, Hashable {
  static let entityName = "Device"

  let id: RecordID
  var name = ""
  var account = ""
  /// The id to which tokens for this device are bound.
  var verificationID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  init(id: RecordID) { self.id = id }

  init(name: String, account: String, seed: UInt64) {
    self.init(id: Self.id(name: name))
    self.name = name
    self.account = account
    var randomness = SeededRandomness(seed: seed, label: "device \(name)")
    verificationID = randomness.uuid()
  }

  static func id(name: String) -> RecordID { RecordID(derivedFrom: [entityName, name]) }

  static let indexes = [IndexDefinition("account")]
  static let fields: [LedgerField<LedgerDevice>] = [
    LedgerField("name", \.name),
    LedgerField("account", \.account),
    LedgerField("verificationID", \.verificationID),
  ]
}
