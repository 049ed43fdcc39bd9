public import Foundation

/// Which credit pays for which consumption, and what is free: a pure function of the records, so that devices with
/// equal records agree without asking each other, in whatever order the records came.
///
/// 1. Each consumption stands on the credit that it names. Where several name one, the first of them (by date, then
///    installation, then request) keeps it. A refund does not take a credit from its consumption.
/// 2. The others, in the same order, move to the oldest free credit each.
/// 3. What finds none is an overdraft: both reports were made with one credit. The next purchase pays for it.
///
/// A credit that is unknown here (its purchase was deleted) counts as its consumption's own: nobody is charged twice.
public struct CreditLedger: Hashable, Sendable {
  public struct Credit: Hashable, Sendable {
    public var key: CreditKey
    public var purchaseDate: Date
    /// Its purchase was refunded.
    public var isRevoked: Bool

    public init(key: CreditKey, purchaseDate: Date, isRevoked: Bool = false) {
      self.key = key
      self.purchaseDate = purchaseDate
      self.isRevoked = isRevoked
    }
  }

  public struct Consumption: Hashable, Sendable {
    public var requestID: UUID
    public var credit: CreditKey
    public var consumedAt: Date
    public var installationID: UUID

    public init(requestID: UUID, credit: CreditKey, consumedAt: Date, installationID: UUID) {
      self.requestID = requestID
      self.credit = credit
      self.consumedAt = consumedAt
      self.installationID = installationID
    }
  }

  /// Neither spent nor refunded, the oldest purchase first.
  public let free: [Credit]
  /// For each paid request its credit, which is not always the one that its consumption names.
  public let payments: [UUID: CreditKey]
  /// Consumptions that no credit pays for, the first first.
  public let overdrafts: [Consumption]
  /// Credits of refunded purchases that nobody had spent.
  public let revoked: [Credit]
  /// All credits, spent and refunded ones included.
  public let purchasedCount: Int
  /// All consumptions.
  public let consumedCount: Int

  public init(credits: [Credit], consumptions: [Consumption]) {
    let known = Dictionary(credits.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    let ordered = consumptions.sorted(by: Self.precedes)
    var holders: [CreditKey: UUID] = [:]
    var payments: [UUID: CreditKey] = [:]
    var displaced: [Consumption] = []
    for consumption in ordered {
      if holders[consumption.credit] == nil || known[consumption.credit] == nil {
        holders[consumption.credit] = consumption.requestID
        payments[consumption.requestID] = consumption.credit
      } else {
        displaced.append(consumption)
      }
    }
    let unspent = known.values.filter { holders[$0.key] == nil }.sorted(by: Self.isOlder)
    let open = unspent.filter { !$0.isRevoked }
    for (consumption, credit) in zip(displaced, open) { payments[consumption.requestID] = credit.key }
    self.payments = payments
    free = Array(open.dropFirst(displaced.count))
    overdrafts = Array(displaced.dropFirst(open.count))
    revoked = unspent.filter(\.isRevoked)
    purchasedCount = known.count
    consumedCount = consumptions.count
  }

  /// How many credits of a transaction are spent.
  public func usedCount(of transaction: String) -> Int { payments.values.count { $0.transaction == transaction } }

  private static func precedes(_ left: Consumption, _ right: Consumption) -> Bool {
    (left.consumedAt, left.installationID.uuidString, left.requestID.uuidString)
      < (right.consumedAt, right.installationID.uuidString, right.requestID.uuidString)
  }

  private static func isOlder(_ left: Credit, _ right: Credit) -> Bool {
    (left.purchaseDate, left.key) < (right.purchaseDate, right.key)
  }
}
