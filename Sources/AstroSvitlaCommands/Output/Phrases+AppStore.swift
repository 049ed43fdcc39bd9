import AstroSvitla

/// What the App Store's side says.
extension Phrases {
  func approved(_ id: UInt64) -> String { say(.approved, "\(id)") }
  func declined(_ id: UInt64) -> String { say(.declined, "\(id)") }
  func storeRefunded(_ id: UInt64) -> String { say(.storeRefunded, "\(id)") }
  func storeReversed(_ id: UInt64) -> String { say(.storeReversed, "\(id)") }
  func onOff(_ isOn: Bool) -> String { isOn ? say(.on) : say(.off) }
  func faultAdded(_ call: String, _ count: Int) -> String { say(.faultAdded, call, "\(count)") }
  func faults(_ count: Int) -> String { say(.faults, "\(count)") }
  var planChanged: String { say(.planChanged) }
  var storeReset: String { say(.storeReset) }

  var waitingHeader: [String] {
    columns(.columnRequest, .columnProduct, .columnQuantity, .columnAccount, .columnDevice, .columnSince)
  }
  var accountHeader: [String] {
    columns(
      .columnAccount, .columnStorefront, .columnPurchases, .columnAskToBuy, .columnFamily, .columnDevices)
  }
  var entryHeader: [String] {
    columns(
      .columnTransaction, .columnDate, .columnAccount, .columnDevice, .columnProduct, .columnQuantity, .columnPrice,
      .columnState)
  }
}
