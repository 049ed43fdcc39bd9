public import Foundation

/// Which credit pays for which consumption, and what is free: a pure function of the records, so that devices with
/// equal records agree without asking each other, in whatever order the records came.
///
/// 1. Each consumption stands on the credit that it names. Where several name one, the first of them (by date, then
///    installation, then request) keeps it. A refund does not take a credit from its consumption.
/// 2. A refund takes credits that nobody spent, the last of the purchase first: as many as the refunded part of its
///    price pays for, rounded to whole ones, a half up.
/// 3. The others of 1, in the same order, move to the oldest free credit each.
/// 4. What finds none is an overdraft: both reports were made with one credit. The next purchase pays for it.
///
/// A credit that is unknown here (its purchase was deleted) counts as its consumption's own: nobody is charged twice.
public struct CreditLedger: Hashable, Sendable {
  /// A credit as the ledger takes it.
  public struct Credit: Hashable, Sendable {
    /// The same everywhere.
    public var key: CreditKey
    /// The oldest credit is spent first.
    public var purchaseDate: Date

    /// Creates a credit from its parts.
    public init(key: CreditKey, purchaseDate: Date) {
      self.key = key
      self.purchaseDate = purchaseDate
    }
  }

  /// A credit spent, as the ledger takes it.
  public struct Consumption: Hashable, Sendable {
    /// The request that was paid.
    public var requestID: UUID
    /// The credit that the installation spent; another may pay in the end.
    public var credit: CreditKey
    /// When it was spent, by the clock of the installation.
    public var consumedAt: Date
    /// The installation that spent it.
    public var installationID: UUID

    /// Creates a consumption from its parts.
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
  /// Credits that refunds took; nobody had spent them.
  public let revoked: [Credit]
  /// All credits, spent and refunded ones included.
  public let purchasedCount: Int
  /// All consumptions.
  public let consumedCount: Int

  private let usedCounts: [String: Int]
  private let grantedCounts: [String: Int]

  /// - Parameters:
  ///   - credits: All credits.
  ///   - consumptions: All consumptions.
  ///   - refundedParts: By the text of a ``TransactionKey``, the refunded part of the purchase, above 0 and up to 1.
  public init(credits: [Credit], consumptions: [Consumption], refundedParts: [String: Decimal] = [:]) {
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
    let granted = known.values.reduce(into: [:]) { $0[$1.key.transaction, default: 0] += 1 }
    let taken = Self.taken(of: unspent, granted, refundedParts)
    let open = unspent.filter { !taken.contains($0.key) }
    for (consumption, credit) in zip(displaced, open) { payments[consumption.requestID] = credit.key }
    self.payments = payments
    free = Array(open.dropFirst(displaced.count))
    overdrafts = Array(displaced.dropFirst(open.count))
    revoked = unspent.filter { taken.contains($0.key) }
    grantedCounts = granted
    usedCounts = payments.values.reduce(into: [:]) { $0[$1.transaction, default: 0] += 1 }
    purchasedCount = known.count
    consumedCount = consumptions.count
  }

  /// How many credits of a transaction are spent.
  public func usedCount(of transaction: String) -> Int { usedCounts[transaction] ?? 0 }

  /// How many credits a transaction brought.
  public func grantedCount(of transaction: String) -> Int { grantedCounts[transaction] ?? 0 }

  static func taken(
    of unspent: [Credit], _ granted: [String: Int], _ parts: [String: Decimal]
  ) -> Set<CreditKey> {
    guard !parts.isEmpty else { return [] }
    var remaining = parts.reduce(into: [String: Int]()) { counts, refund in
      counts[refund.key] = wholeCredits(Decimal(granted[refund.key] ?? 0) * refund.value)
    }
    var taken: Set<CreditKey> = []
    for credit in unspent.sorted(by: { $0.key > $1.key }) {
      guard let left = remaining[credit.key.transaction], left > 0 else { continue }
      remaining[credit.key.transaction] = left - 1
      taken.insert(credit.key)
    }
    return taken
  }

  private static func wholeCredits(_ amount: Decimal) -> Int {
    var (amount, whole) = (amount, Decimal())
    NSDecimalRound(&whole, &amount, 0, .plain)
    return NSDecimalNumber(decimal: whole).intValue
  }

  private static func precedes(_ left: Consumption, _ right: Consumption) -> Bool {
    (left.consumedAt, left.installationID.uuidString, left.requestID.uuidString)
      < (right.consumedAt, right.installationID.uuidString, right.requestID.uuidString)
  }

  static func isOlder(_ left: Credit, _ right: Credit) -> Bool {
    (left.purchaseDate, left.key) < (right.purchaseDate, right.key)
  }
}
