public import Foundation
public import Tandem

/// A credit held for one request until the lease ends.
///
/// Unique for each credit and installation, and the store refuses a second one: so two processes of a device can not
/// hold one credit, while two devices never disturb each other's.
@Model
public final class CreditReservation {
  #Unique<CreditReservation>([\.transactionKey, \.ordinal, \.installationID])
  #Index<CreditReservation>([\.requestID], [\.isSpent, \.expiresAt])
  /// The request that the credit is held for.
  public private(set) var requestID: UUID
  /// The text of the ``TransactionKey`` of the credit's purchase.
  public private(set) var transactionKey: String
  /// The credit's place among those of its transaction.
  public private(set) var ordinal: Int
  /// The installation that holds it.
  public private(set) var installationID: UUID
  /// When the lease ends.
  public private(set) var expiresAt: Date
  /// Stays when the credit is spent, so that nobody reserves it from an older view of the store. It says nothing of the
  /// credit itself, which ``CreditLedger`` may have given back to all: another request may pay for what this one did.
  public private(set) var isSpent = false

  /// Creates a reservation that lasts until a date.
  public init(requestID: UUID, credit: CreditKey, installationID: UUID, expiresAt: Date) {
    self.requestID = requestID
    transactionKey = credit.transaction
    ordinal = credit.ordinal
    self.installationID = installationID
    self.expiresAt = expiresAt
  }

  /// The credit that is held.
  public var credit: CreditKey { CreditKey(transaction: transactionKey, ordinal: ordinal) }

  /// Whether it keeps others from the credit. One that ends later than any lease can was made by a clock that is
  /// wrong, and holds nothing: it would lock the credit for years.
  public func holds(at date: Date) -> Bool {
    !isSpent && date < expiresAt && expiresAt <= date.addingTimeInterval(CreditManager.maximumLeaseSeconds)
  }

  func extend(to date: Date) { expiresAt = date }

  /// Writing to the record makes the save fail if another request took the credit over meanwhile.
  func spend() { isSpent = true }
}
