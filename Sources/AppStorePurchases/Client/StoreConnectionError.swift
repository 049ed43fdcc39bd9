public import Foundation

/// A trouble between an app and its ``StoreClient``; arrives as the cause of ``StoreKitError/systemError(_:)``.
///
/// ```swift
/// do {
///   _ = try await Product.products(for: ["com.example.stars.credit"])
/// } catch StoreKitError.systemError(let cause as StoreConnectionError) where cause.code == .notConnected {
///   log(cause.message)  // the app has not called `AppStore.connect(to:)`
/// }
/// ```
public struct StoreConnectionError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of failure. It may gain values; compare it with the constants.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Value: String {
      case notConnected, contradictoryOptions, unknownTransaction
    }
    fileprivate let value: Value
    /// The kind's name, such as `notConnected`.
    public var description: String { value.rawValue }

    /// No client is connected.
    public static let notConnected = Code(value: .notConnected)
    /// The options of a purchase name one thing twice, differently.
    public static let contradictoryOptions = Code(value: .contradictoryOptions)
    /// The store has no transaction of this id.
    public static let unknownTransaction = Code(value: .unknownTransaction)
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence with the remedy.
  public let message: String

  /// An error of a client's own store.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
  /// The same as ``message``.
  public var description: String { message }
  /// The same as ``message``.
  public var errorDescription: String? { message }

  static let notConnected = StoreConnectionError(
    .notConnected,
    "no App Store is connected; call AppStore.connect(to:) with a client at launch, or "
      + "AppStore.withClient(_:operation:) around a test")
}
