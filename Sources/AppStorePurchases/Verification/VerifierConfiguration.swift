import Crypto
public import Foundation
import SwiftASN1
package import X509

#if !Purchases
  #error("AppStorePurchases is not there: enable the trait Purchases of the package tandem, or give no list of traits.")
#endif

/// The trust of a ``TransactionVerifier``. It comes from the app, never from a token.
///
/// ```swift
/// let environments: Set<AppStore.Environment> = [.production]  // and .sandbox while the app is in review
/// do {
///   var configuration = try VerifierConfiguration(
///     anchors: [root], bundleID: "com.example.stars", environments: environments)
///   configuration.appAppleID = 6_448_311_069
/// } catch let error as VerifierConfiguration.ConfigurationError {
///   print(error.message)  // the file of the root certificate is not one
/// }
/// ```
public struct VerifierConfiguration: Sendable {
  /// The app's bundle id.
  public let bundleID: String
  /// The environments in which a transaction may have been made.
  public let environments: Set<AppStore.Environment>
  /// SHA-256 of the DER of certificates that are no longer believed, 32 bytes each.
  public var deniedCertificates: Set<Data>
  /// This device's ``AppStore/deviceVerificationID``: tokens of other devices are refused. Nil leaves that step out.
  public var deviceVerificationID: UUID?
  /// Certificates of Xcode's StoreKit tests, as DER: Editor ▸ Save Public Certificate of a `.storekit` file. Tokens of
  /// the environment `Xcode` that bring one of them, alone, are believed without a path to an anchor. Leave it empty in
  /// a release build: the holder of such a certificate's key can sign anything.
  public var xcodeCertificates: Set<Data> = []

  /// The number by which the App Store knows the app. Where it is given, app transactions and notifications of the
  /// production store must name it; nil leaves that out. Transactions do not carry it.
  public var appAppleID: UInt64?

  package let anchors: [Certificate]

  /// - Parameters:
  ///   - anchors: The roots that may end a path, as DER. ``appleRootCertificate`` for Apple's store.
  ///   - bundleID: The app whose transactions are believed.
  ///   - environments: Where a transaction may have been made. A release build allows `.production` only, and
  ///     `.sandbox` while it is in review.
  ///   - deniedCertificates: SHA-256 of the DER of certificates that are no longer believed.
  ///   - deviceVerificationID: This device's; nil leaves the step out.
  ///
  /// - Throws: ``ConfigurationError`` when there is no anchor, or one that is not a certificate.
  public init(
    anchors: [Data], bundleID: String, environments: Set<AppStore.Environment>, deniedCertificates: Set<Data> = [],
    deviceVerificationID: UUID? = nil
  ) throws {
    guard !anchors.isEmpty else {
      throw ConfigurationError("the verifier has no trust anchor; pass the DER of at least one root certificate")
    }
    self.anchors = try anchors.map { data in
      do {
        return try Certificate(derEncoded: Array(data))
      } catch {
        throw ConfigurationError("a trust anchor is not a certificate in DER form; pass the bytes of a .cer file")
      }
    }
    self.bundleID = bundleID
    self.environments = environments
    self.deniedCertificates = deniedCertificates
    self.deviceVerificationID = deviceVerificationID
  }

  /// An argument of the app that is not usable. The message says what to pass.
  public struct ConfigurationError: LocalizedError, Sendable, CustomStringConvertible {
    /// One sentence that says what to pass.
    public let message: String
    /// The same as ``message``.
    public var description: String { message }
    /// The same as ``message``.
    public var errorDescription: String? { message }

    init(_ message: String) {
      self.message = message
    }
  }
}
