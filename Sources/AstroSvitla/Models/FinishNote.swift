public import Foundation
public import Tandem

/// "The App Store must still be told": written in the commit that delivers, dropped when the transaction is finished.
@Model
public final class FinishNote {
  @Attribute(.unique) public private(set) var transactionKey: String
  public private(set) var createdAt: Date

  public init(_ key: TransactionKey, createdAt: Date) {
    transactionKey = key.text
    self.createdAt = createdAt
  }
}
