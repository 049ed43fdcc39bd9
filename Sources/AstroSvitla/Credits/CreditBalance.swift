/// A person's credits in numbers. `purchased + overdrawn = consumed + revoked + available` always holds.
public struct CreditBalance: Hashable, Codable, Sendable {
  /// All that were bought, refunded ones included.
  public var purchased: Int
  /// All reports that were paid with credits, overdrafts included.
  public var consumed: Int
  /// Taken back by refunds before anybody spent them.
  public var revoked: Int
  /// Reports of two devices that were made with one credit; the next purchase pays for them.
  public var overdrawn: Int
  /// Free now, held ones included.
  public var available: Int

  init(purchased: Int, consumed: Int, revoked: Int, overdrawn: Int, available: Int) {
    self.purchased = purchased
    self.consumed = consumed
    self.revoked = revoked
    self.overdrawn = overdrawn
    self.available = available
  }

  /// Counts a ledger.
  public init(_ ledger: CreditLedger) {
    purchased = ledger.purchasedCount
    consumed = ledger.consumedCount
    revoked = ledger.revoked.count
    overdrawn = ledger.overdrafts.count
    available = ledger.free.count
  }
}
