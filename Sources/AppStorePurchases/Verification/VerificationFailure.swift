/// Which of the thirteen steps of verification a token failed, and why. The steps are taken in this order, so that all
/// earlier ones held.
public struct VerificationFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The steps in their order; the raw value is the number in the documentation.
  public enum Step: Int, CaseIterable, Hashable, Sendable {
    /// At most 64 KiB, three parts of base64url without padding, none empty.
    case form = 1
    /// The header is an object with `alg` ES256 and neither `crit` nor `b64`.
    case header
    /// `x5c` is exactly three strings of standard base64.
    case certificateList
    /// The payload is an object, and `signedDate` a date within the years 1970 to 9999, if present.
    case payload
    /// The first two certificates can be read, to their last byte.
    case certificates
    /// Leaf, intermediate and a configured anchor form a path, valid at the time of signing.
    case certificatePath
    /// The certificates carry the marks of the App Store.
    case certificatePurpose
    /// No certificate is on the deny list.
    case denyList
    /// The signature over the received text is by the leaf's P-256 key.
    case signature
    /// The app's bundle id.
    case bundleID
    /// The environment is one of those allowed.
    case environment
    /// Each property has its type, and none that is needed is missing.
    case properties
    /// The token is bound to this device.
    case deviceVerification
  }

  /// The first step that did not hold.
  public let step: Step
  /// One sentence, with nothing of the token's contents.
  public let message: String

  /// A failure of a step, for clients. The message must not quote the token.
  public init(_ step: Step, _ message: String) {
    self.step = step
    self.message = message
  }

  /// The step's number and name, and the message.
  public var description: String { "step \(step.rawValue) of verification (\(step)): \(message)" }

  /// The step in StoreKit's coarser words.
  public func error<SignedType>(for _: SignedType.Type) -> VerificationResult<SignedType>.VerificationError {
    switch step {
    case .form, .header, .payload: .invalidEncoding
    case .certificateList, .certificates, .certificatePath, .certificatePurpose: .invalidCertificateChain
    case .denyList: .revokedCertificate
    case .signature: .invalidSignature
    case .bundleID, .environment, .properties: .missingRequiredProperties
    case .deviceVerification: .invalidDeviceVerification
    }
  }
}
