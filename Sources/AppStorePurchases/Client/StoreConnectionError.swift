public import Foundation

/// What is wrong between an app and its ``StoreClient``; arrives as the cause of ``StoreKitError/systemError(_:)``.
public struct StoreConnectionError: LocalizedError, Sendable, CustomStringConvertible {
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Value: String {
      case notConnected, contradictoryOptions, unknownTransaction
    }
    fileprivate let value: Value
    public var description: String { value.rawValue }

    /// No client is connected.
    public static let notConnected = Code(value: .notConnected)
    /// The options of a purchase name one thing twice, differently.
    public static let contradictoryOptions = Code(value: .contradictoryOptions)
    /// The store has no transaction of this id.
    public static let unknownTransaction = Code(value: .unknownTransaction)
  }

  public let code: Code
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
  public var description: String { message }
  public var errorDescription: String? { message }

  static let notConnected = StoreConnectionError(
    .notConnected,
    "no App Store is connected; call AppStore.connect(to:) with a client at launch, or "
      + "AppStore.withClient(_:operation:) around a test")
}
