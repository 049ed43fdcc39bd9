import Foundation

/// What is left to settle of all credits and consumptions: a pure function of them, of the size of what is open,
/// however much was spent.
///
/// A credit that one consumption names is settled for good, and so is that consumption. Left are credits that nobody
/// names, and *how many* consumptions name a credit after its first one: which of them they are matters to
/// ``CreditLedger``, which says what pays for what, and not to what is free.
///
/// 1. A credit is in ``unspent`` if it is known and no consumption names it.
/// 2. ``displacedCount`` is, over all known credits, the number of consumptions beyond the first that name one.
/// 3. ``strays`` has, for each credit that is named and unknown, how many consumptions name it.
/// 4. Later records can be added in any order and grouping, with one result. Nothing can be taken away: where a record
///    went, or names another credit than it did, all is read anew.
struct OpenCredits: Hashable, Sendable {
  private(set) var unspent: [CreditKey: Date] = [:]
  private(set) var displacedCount = 0
  private(set) var strays: [CreditKey: Int] = [:]
  private(set) var purchasedCount = 0
  private(set) var consumedCount = 0

  init() {}

  init(
    unspent: [CreditKey: Date], displacedCount: Int, strays: [CreditKey: Int], purchasedCount: Int, consumedCount: Int
  ) {
    self.unspent = unspent
    self.displacedCount = displacedCount
    self.strays = strays
    self.purchasedCount = purchasedCount
    self.consumedCount = consumedCount
  }

  /// How many credits are open, in one way or another.
  var count: Int { unspent.count + strays.count }

  /// Adds credits that were not there before, and consumptions that were not.
  ///
  /// - Parameter isKnown: Whether a credit that is neither open nor among `credits` is there, and so is spent.
  mutating func add(
    _ credits: [CreditLedger.Credit], naming consumed: [CreditKey], isKnown: (CreditKey) throws -> Bool
  ) rethrows {
    purchasedCount += credits.count
    consumedCount += consumed.count
    for credit in credits {
      // What named it before it came is on it now.
      if let early = strays.removeValue(forKey: credit.key) {
        displacedCount += early - 1
      } else {
        unspent[credit.key] = credit.purchaseDate
      }
    }
    let fresh = Set(credits.lazy.map(\.key))
    for key in consumed {
      if unspent.removeValue(forKey: key) != nil { continue }
      if try fresh.contains(key) || strays[key] == nil && isKnown(key) {
        displacedCount += 1
      } else {
        strays[key, default: 0] += 1
      }
    }
  }
}

extension OpenCredits {
  /// What is free, under refunds.
  ///
  /// - Parameters:
  ///   - refundedParts: By the text of a ``TransactionKey``, the refunded part of the purchase.
  ///   - granted: How many credits each of these purchases has.
  func standing(refundedParts: [String: Decimal], granted: [String: Int]) -> CreditStanding {
    let credits = unspent.map { CreditLedger.Credit(key: $0.key, purchaseDate: $0.value) }
      .sorted(by: CreditLedger.isOlder)
    let taken = CreditLedger.taken(of: credits, granted, refundedParts)
    let open = taken.isEmpty ? credits : credits.filter { !taken.contains($0.key) }
    return CreditStanding(
      free: Array(open.dropFirst(displacedCount)),
      balance: CreditBalance(
        purchased: purchasedCount, consumed: consumedCount, revoked: taken.count,
        overdrawn: max(0, displacedCount - open.count), available: max(0, open.count - displacedCount)))
  }
}

/// What is free now, and the numbers beside it: what ``CreditLedger`` says of them, without what it says of each
/// consumption.
struct CreditStanding: Hashable, Sendable {
  /// The oldest purchase first.
  var free: [CreditLedger.Credit]
  var balance: CreditBalance
}
