/// What makes a transaction the same one everywhere: environment, bundle id and number. Never its signed text.
public struct TransactionKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let environment: String
  public let bundleID: String
  public let transactionID: UInt64

  public init(environment: String, bundleID: String, transactionID: UInt64) {
    self.environment = environment
    self.bundleID = bundleID
    self.transactionID = transactionID
  }

  /// Such as `Production/com.astrosvitla/2000000001`. Bundle ids and environments have no slashes.
  public var text: String { "\(environment)/\(bundleID)/\(transactionID)" }

  /// The key of the once ledger under which the transaction is delivered.
  public var onceKey: String { "purchase/\(text)" }

  public var description: String { text }

  public static func < (left: TransactionKey, right: TransactionKey) -> Bool {
    (left.environment, left.bundleID, left.transactionID) < (right.environment, right.bundleID, right.transactionID)
  }
}
