/// A value that the store signed, with the answer whether the signature holds.
public enum VerificationResult<SignedType> {
  /// The value failed a check: deliver nothing for it.
  case unverified(SignedType, VerificationError)
  /// Every check of ``TransactionVerifier`` held.
  case verified(SignedType)

  /// Why a value is not to be believed, in StoreKit's words. Which step failed is in
  /// `verificationFailure`.
  public enum VerificationError: Error, Hashable, Sendable {
    /// A certificate is on the deny list.
    case revokedCertificate
    /// The certificates do not lead to a trusted one, or are not made for this purpose.
    case invalidCertificateChain
    /// The token is bound to another device.
    case invalidDeviceVerification
    /// The text is no token, or says impossible things.
    case invalidEncoding
    /// The signature does not belong to the text and the certificate.
    case invalidSignature
    /// A property is missing, has the wrong type, or names another app or environment.
    case missingRequiredProperties
  }

  /// The value if it is verified.
  ///
  /// - Throws: ``VerificationError`` if it is not.
  public var payloadValue: SignedType {
    get throws {
      switch self {
      case .verified(let value): return value
      case .unverified(_, let error): throw error
      }
    }
  }

  /// The value, verified or not.
  public var unsafePayloadValue: SignedType {
    switch self {
    case .verified(let value), .unverified(let value, _): value
    }
  }
}

extension VerificationResult: Equatable where SignedType: Equatable {}
extension VerificationResult: Hashable where SignedType: Hashable {}
extension VerificationResult: Sendable where SignedType: Sendable {}
