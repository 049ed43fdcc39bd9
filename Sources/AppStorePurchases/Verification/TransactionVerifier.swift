import Crypto
public import Foundation
import X509

/// Decides whether a signed transaction is the store's: thirteen steps, each with its own ``VerificationFailure/Step``.
///
/// ```swift
/// let verifier = TransactionVerifier(configuration)
/// do {
///   let transaction = try await verifier.transaction(from: text, now: Date())
///   print("believed: \(transaction.id)")
/// } catch let failure as VerificationFailure where failure.step == .denyList {
///   print("signed with a certificate that is no longer believed: \(failure.message)")
/// }
/// ```
///
/// Nothing of the token is believed before its signature is, and no environment has a shortcut: a local store's tokens
/// take the same steps against the local root. Any number of tasks may use one verifier. It remembers the last paths of
/// certificates that held, and copies of it share that: the tokens of a store have one path, whose two signatures by
/// P-384 cost most of a verification.
public struct TransactionVerifier: Sendable {
  /// The trust of the verifier.
  public let configuration: VerifierConfiguration
  package let paths = PathCache()
  let headers = HeaderCache()

  /// A verifier without remembered paths.
  public init(_ configuration: VerifierConfiguration) {
    self.configuration = configuration
  }

  /// The transaction of a token, if all steps hold.
  ///
  /// `now` is when the certificates must be valid if the token does not say when it was signed. Costs three checks of
  /// signatures, and one where the certificates are those of a token before.
  ///
  /// - Throws: ``VerificationFailure`` of the first step that does not hold.
  public func transaction(from text: String, now: Date) async throws -> Transaction {
    let document = try SignedDocument(text, knownHeader: headers.data(of:))
    let claims = try await verifySignature(of: document, now: now)
    try verifyBundleID(claims)
    try verifyEnvironment(claims)
    let transaction = try Transaction(reading: SignatureRecord(document))
    try verifyDevice(transaction.deviceVerification, transaction.deviceVerificationNonce)
    return transaction
  }

  /// The result that StoreKit would hand out for a token: the transaction, verified or not.
  ///
  /// Where the payload is no transaction, the unverified value holds what can be read of it.
  ///
  /// - Throws: ``VerificationFailure`` only for a text that is no token at all.
  public func result(for text: String, now: Date) async throws -> VerificationResult<Transaction> {
    do {
      return .verified(try await transaction(from: text, now: now))
    } catch let failure as VerificationFailure {
      guard let document = try? SignedDocument(text),
        let value = Self.unverified(SignatureRecord(document, failure: failure))
      else { throw failure }
      return .unverified(value, failure.error(for: Transaction.self))
    }
  }

  private static func unverified(_ signature: SignatureRecord) -> Transaction? {
    (try? Transaction(reading: signature)) ?? (try? Transaction(remnantOf: signature))
  }

  /// The renewal info of a token, if all steps hold but the bundle id, which such tokens do not carry.
  ///
  /// - Throws: ``VerificationFailure`` of the first step that does not hold.
  public func renewalInfo(
    from text: String, now: Date
  ) async throws -> Product.SubscriptionInfo.RenewalInfo {
    let document = try SignedDocument(text)
    let claims = try await verifySignature(of: document, now: now)
    try verifyEnvironment(claims)
    let info = try Product.SubscriptionInfo.RenewalInfo(reading: SignatureRecord(document))
    try verifyDevice(info.deviceVerification, info.deviceVerificationNonce)
    return info
  }

  /// The result that StoreKit would hand out for a token of renewal info.
  ///
  /// - Throws: As ``result(for:now:)``.
  public func renewalResult(
    for text: String, now: Date
  ) async throws -> VerificationResult<Product.SubscriptionInfo.RenewalInfo> {
    typealias RenewalInfo = Product.SubscriptionInfo.RenewalInfo
    do {
      return .verified(try await renewalInfo(from: text, now: now))
    } catch let failure as VerificationFailure {
      guard let document = try? SignedDocument(text),
        let value = try? RenewalInfo(reading: SignatureRecord(document, failure: failure))
      else { throw failure }
      return .unverified(value, failure.error(for: RenewalInfo.self))
    }
  }

  /// Steps 2 to 9.
  func verifySignature(
    of document: SignedDocument, now: Date, _ names: TokenClaims.Names = .transaction
  ) async throws -> TokenClaims {
    let header = try headers.header(of: document)
    let claims = try TokenClaims(document.payload, names)
    let time = claims.signedDate ?? now
    let key: P256.Signing.PublicKey?
    switch header.certificates {
    case .chain(let leaf, let intermediate): key = try await self.key(leaf, intermediate, at: time)
    case .single(let certificate): key = try xcodeKey(certificate, claims, at: time)
    }
    guard let key, let signature = try? P256.Signing.ECDSASignature(rawRepresentation: document.signature),
      key.isValidSignature(signature, for: document.signedData)
    else {
      throw VerificationFailure(.signature, "the signature is not the leaf certificate's over this text")
    }
    return claims
  }

  /// Steps 5 to 8: the leaf's key; nil when it is none of P-256.
  private func key(_ leaf: Data, _ intermediate: Data, at time: Date) async throws -> P256.Signing.PublicKey? {
    let id = PathCache.ID(leaf, intermediate)
    if let known = paths.key(of: id, at: time) {
      try CertificatePath.verify(notDenied: configuration.deniedCertificates, [leaf, intermediate])
      return known
    }
    let path = try CertificatePath(leaf: leaf, intermediate: intermediate)
    let validity = try await path.verify(anchors: configuration.anchors, at: time)
    try path.verifyPurpose()
    try CertificatePath.verify(notDenied: configuration.deniedCertificates, [leaf, intermediate])
    guard let key = P256.Signing.PublicKey(path.leaf.publicKey) else { return nil }
    paths.insert(key, of: id, validity)
    return key
  }

  /// The key of a certificate of Xcode's StoreKit tests, where the configuration names it.
  private func xcodeKey(_ data: Data, _ claims: TokenClaims, at time: Date) throws -> P256.Signing.PublicKey? {
    let isXcode = claims.environment?.utf8.elementsEqual(AppStore.Environment.xcode.rawValue.utf8) ?? false
    guard isXcode, configuration.xcodeCertificates.contains(data) else {
      throw VerificationFailure(.certificateList, "the header does not bring exactly three certificates")
    }
    let certificate = try CertificatePath.certificate(data, "only")
    // No range, which ends the process where a certificate ends before it begins.
    guard certificate.notValidBefore <= time, time <= certificate.notValidAfter else {
      throw VerificationFailure(.certificatePath, "the certificate was not valid at the time of signing")
    }
    try CertificatePath.verify(notDenied: configuration.deniedCertificates, [data])
    return P256.Signing.PublicKey(certificate.publicKey)
  }

  /// Step 10.
  func verifyBundleID(_ claims: TokenClaims) throws {
    guard let name = claims.bundleID, name.utf8.elementsEqual(configuration.bundleID.utf8) else {
      throw VerificationFailure(.bundleID, "the token belongs to another app")
    }
  }

  /// A part of step 10, of tokens that say it: the production store numbers its apps.
  func verifyAppAppleID(_ claims: TokenClaims) throws {
    guard let wanted = configuration.appAppleID,
      claims.environment == AppStore.Environment.production.rawValue, claims.appAppleID != wanted
    else { return }
    throw VerificationFailure(.bundleID, "the token belongs to an app of another number")
  }

  /// Step 11.
  func verifyEnvironment(_ claims: TokenClaims) throws {
    // By bytes: Swift calls canonically equivalent texts equal, such as the sign for Kelvin and the letter K.
    guard let name = claims.environment,
      configuration.environments.contains(where: { $0.rawValue.utf8.elementsEqual(name.utf8) })
    else {
      throw VerificationFailure(.environment, "the token was made in an environment that is not allowed")
    }
  }

  /// Step 13.
  func verifyDevice(_ verification: Data, _ nonce: UUID) throws {
    guard let device = configuration.deviceVerificationID else { return }
    guard verification == DeviceVerification.value(nonce: nonce, deviceID: device) else {
      throw VerificationFailure(.deviceVerification, "the token is bound to another device")
    }
  }
}
