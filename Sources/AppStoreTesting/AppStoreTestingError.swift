public import Foundation

/// A trouble between a tester and the local App Store. Apps see `StoreKitError` instead.
///
/// ```swift
/// do {
///   try await appStore.refund(0)
/// } catch let error as AppStoreTestingError where error.code == .invalidRequest {
///   print(error.message)  // it is refunded already
/// }
/// ```
public struct AppStoreTestingError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of failure. It may gain values; compare it with the constants.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Value: String {
      case otherApp, noProducts, unknownAccount, unknownTransaction, unknownRequest, unknownSubscription
      case invalidRequest, damagedLedger, ledger
    }
    fileprivate let value: Value
    /// The kind's name, such as `unknownAccount`.
    public var description: String { value.rawValue }

    /// The directory is the App Store of another bundle id.
    public static let otherApp = Code(value: .otherApp)
    /// No `.storekit` file was given yet, or it does not have the product.
    public static let noProducts = Code(value: .noProducts)
    /// The App Store has no account of the name.
    public static let unknownAccount = Code(value: .unknownAccount)
    /// The App Store has no transaction of the id, or none since the last reset.
    public static let unknownTransaction = Code(value: .unknownTransaction)
    /// No purchase waits under this id.
    public static let unknownRequest = Code(value: .unknownRequest)
    /// The account never had a subscription of the group.
    public static let unknownSubscription = Code(value: .unknownSubscription)
    /// Values that contradict each other or the state of the ledger.
    public static let invalidRequest = Code(value: .invalidRequest)
    /// A record of the ledger cannot be read.
    public static let damagedLedger = Code(value: .damagedLedger)
    /// The ledger's store failed; the cause says how.
    public static let ledger = Code(value: .ledger)
  }

  /// The kind of failure.
  public var code: Code
  /// One sentence with the remedy.
  public var message: String
  /// The error of the ledger's store; nil where there is none below.
  public var cause: (any Error)?

  /// An error as the App Store's own members throw it.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The same as ``message``.
  public var description: String { message }
  /// The same as ``message``.
  public var errorDescription: String? { message }
}
