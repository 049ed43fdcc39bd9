public import Foundation

/// The purchase of the app itself, as the store signed it.
///
/// ```swift
/// func hasPaidForApp(_ transaction: AppTransaction) -> Bool {
///   // Version 2 made the app free; on the Mac it has always been.
///   transaction.originalPlatform != AppStore.Platform.macOS
///     && transaction.originalAppVersion.compare("2", options: .numeric) == .orderedAscending
/// }
/// ```
///
/// ``TransactionVerifier/appTransaction(from:now:)`` makes one of a text that an app has sent to its server.
public struct AppTransaction: Hashable, Sendable {
  /// The same for one account and app, over all devices and installations; empty in tokens that do not say it.
  public let appTransactionID: String
  /// The store's number of the app; nil in the sandbox and in Xcode.
  public let appID: UInt64?
  /// The app.
  public let bundleID: String
  /// The version of the app that runs.
  public let appVersion: String
  /// The store's number of that version; nil in the sandbox and in Xcode.
  public let appVersionID: UInt64?
  /// The version that was bought, or loaded first.
  public let originalAppVersion: String
  /// The time of the purchase, or of the first load.
  public let originalPurchaseDate: Date
  /// The platform of the purchase; nil in tokens that do not say it.
  public let originalPlatform: AppStore.Platform?
  /// The time of the order, if the app was ordered before it was there; else nil.
  public let preorderDate: Date?
  /// The environment in which the app runs.
  public let environment: AppStore.Environment
  /// The time at which the store signed the token.
  public let signedDate: Date
  /// Binds the token to a device, see ``AppStore/deviceVerificationID``. Empty in tokens that are not bound.
  public let deviceVerification: Data
  /// Goes into ``deviceVerification``. All zero in tokens that are not bound.
  public let deviceVerificationNonce: UUID

  package let signature: SignatureRecord

  /// The payload as it was signed, in JSON.
  public var jsonRepresentation: Data { signature.document.payload }
}

extension AppStore {
  /// A kind of device that apps run on. A name that this build does not know is kept as it is.
  public struct Platform: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in a signed token.
    public let rawValue: String

    /// Creates a platform from a name, known or not.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// iPhone and iPad.
    public static let iOS = Platform(rawValue: "iOS")
    /// Mac.
    public static let macOS = Platform(rawValue: "macOS")
    /// Apple TV.
    public static let tvOS = Platform(rawValue: "tvOS")
    /// Apple Vision.
    public static let visionOS = Platform(rawValue: "visionOS")
  }
}
