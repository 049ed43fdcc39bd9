/// What makes a transaction the same one everywhere: environment, bundle id and number. Never its signed text.
public struct TransactionKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The App Store's environment, such as `Production`.
  public let environment: String
  /// The app that the purchase belongs to.
  public let bundleID: String
  /// The App Store's number, unique within the two.
  public let transactionID: UInt64

  /// Creates a key from its parts.
  public init(environment: String, bundleID: String, transactionID: UInt64) {
    self.environment = environment
    self.bundleID = bundleID
    self.transactionID = transactionID
  }

  /// Reads ``text`` back; nil for anything else.
  public init?(text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let number = UInt64(parts[2]) else { return nil }
    self.init(environment: String(parts[0]), bundleID: String(parts[1]), transactionID: number)
  }

  /// Such as `Production/com.astrosvitla/2000000001`. Bundle ids and environments have no slashes.
  public var text: String { "\(environment)/\(bundleID)/\(transactionID)" }

  /// The key of the once ledger under which the transaction is delivered.
  public var onceKey: String { "purchase/\(text)" }

  /// The same as ``text``.
  public var description: String { text }

  /// By environment, bundle id and number.
  public static func < (left: TransactionKey, right: TransactionKey) -> Bool {
    (left.environment, left.bundleID, left.transactionID) < (right.environment, right.bundleID, right.transactionID)
  }
}
