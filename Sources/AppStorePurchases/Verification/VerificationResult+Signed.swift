public import Foundation

extension VerificationResult where SignedType == Transaction {
  /// The text as the store signed it. Keep it for audit; it does not identify the transaction.
  public var jwsRepresentation: String { unsafePayloadValue.signature.document.text }
  /// The header's bytes as they were signed, JSON.
  public var headerData: Data { unsafePayloadValue.signature.document.header }
  /// The payload's bytes as they were signed, JSON.
  public var payloadData: Data { unsafePayloadValue.signature.document.payload }
  /// The signature's bytes.
  public var signatureData: Data { unsafePayloadValue.signature.document.signature }
  /// The bytes under the signature.
  public var signedData: Data { unsafePayloadValue.signature.document.signedData }
  /// The time at which the store signed the text.
  public var signedDate: Date { unsafePayloadValue.signedDate }
  /// The value that binds the text to a device; empty where it is not bound.
  public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
  /// The value that went into `deviceVerification`; all zero where the text is not bound.
  public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
  /// Which step failed; nil for a verified value, and for one whose verdict came from Apple's StoreKit.
  public var verificationFailure: VerificationFailure? { unsafePayloadValue.signature.failure }

  /// The same, finishing and refunding through `client`.
  package func from(_ client: any StoreClient) -> VerificationResult {
    var transaction = unsafePayloadValue
    transaction.origin = StoreOrigin(client)
    return switch self {
    case .verified: .verified(transaction)
    case .unverified(_, let error): .unverified(transaction, error)
    }
  }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
  /// The text as the store signed it.
  public var jwsRepresentation: String { unsafePayloadValue.signature.document.text }
  /// The header's bytes as they were signed, JSON.
  public var headerData: Data { unsafePayloadValue.signature.document.header }
  /// The payload's bytes as they were signed, JSON.
  public var payloadData: Data { unsafePayloadValue.signature.document.payload }
  /// The signature's bytes.
  public var signatureData: Data { unsafePayloadValue.signature.document.signature }
  /// The bytes under the signature.
  public var signedData: Data { unsafePayloadValue.signature.document.signedData }
  /// The time at which the store signed the text.
  public var signedDate: Date { unsafePayloadValue.signedDate }
  /// The value that binds the text to a device; empty where it is not bound.
  public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
  /// The value that went into `deviceVerification`; all zero where the text is not bound.
  public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
  /// Which step failed; nil for a verified value, and for one whose verdict came from Apple's StoreKit.
  public var verificationFailure: VerificationFailure? { unsafePayloadValue.signature.failure }
}
