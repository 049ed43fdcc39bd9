import RecordStore

/// A person's account, as an Apple account: what it bought, it has on all its devices.
struct LedgerAccount: LedgerRecord, Hashable {
  static let entityName = "Account"

  let id: RecordID
  var name = ""
  /// The three letters of the country whose prices it pays.
  var storefront = "USA"
  var canMakePayments = true
  /// Whether its card is refused when a subscription renews.
  var failsRenewals = false
  /// Whether purchases wait for a parent.
  var asksToBuy = false
  /// Accounts with one name here share what may be shared.
  var family: String?

  init(id: RecordID) { self.id = id }

  init(name: String, storefront: String) {
    self.init(id: Self.id(name: name))
    self.name = name
    self.storefront = storefront
  }

  static func id(name: String) -> RecordID { RecordID(derivedFrom: [entityName, name]) }

  static let indexes = [IndexDefinition("family")]
  static let fields: [LedgerField<LedgerAccount>] = [
    LedgerField("name", \.name),
    LedgerField("storefront", \.storefront),
    LedgerField("canMakePayments", \.canMakePayments),
    LedgerField("failsRenewals", \.failsRenewals),
    LedgerField("asksToBuy", \.asksToBuy),
    LedgerField("family", \.family),
  ]
}
