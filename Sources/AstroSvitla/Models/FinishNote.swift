public import Foundation
public import Tandem

/// "The App Store must still be told": written in the commit that delivers, dropped when the transaction is finished.
@Model
public final class FinishNote {
  /// The text of the purchase's ``TransactionKey``.
  @Attribute(.unique) public private(set) var transactionKey: String
  /// When the purchase was delivered.
  public private(set) var createdAt: Date

  /// Creates the note of a delivery.
  public init(_ key: TransactionKey, createdAt: Date) {
    transactionKey = key.text
    self.createdAt = createdAt
  }
}
