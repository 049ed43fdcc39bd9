public import Foundation

/// A credit that is held for a request, as a value.
public struct Reservation: Hashable, Sendable {
  /// The request that it is held for.
  public let requestID: UUID
  /// The credit that is held.
  public let credit: CreditKey
  /// Until then nobody else on this device gets the credit.
  public let expiresAt: Date
}
