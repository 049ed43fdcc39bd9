public import Foundation

extension VerificationResult where SignedType == Transaction {
  /// The text as the store signed it. Keep it for audit; it does not identify the transaction.
  public var jwsRepresentation: String { unsafePayloadValue.signature.document.text }
  public var headerData: Data { unsafePayloadValue.signature.document.header }
  public var payloadData: Data { unsafePayloadValue.signature.document.payload }
  public var signatureData: Data { unsafePayloadValue.signature.document.signature }
  /// What the signature is over.
  public var signedData: Data { unsafePayloadValue.signature.document.signedData }
  public var signedDate: Date { unsafePayloadValue.signedDate }
  public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
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
  public var headerData: Data { unsafePayloadValue.signature.document.header }
  public var payloadData: Data { unsafePayloadValue.signature.document.payload }
  public var signatureData: Data { unsafePayloadValue.signature.document.signature }
  /// What the signature is over.
  public var signedData: Data { unsafePayloadValue.signature.document.signedData }
  public var signedDate: Date { unsafePayloadValue.signedDate }
  public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
  public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
  /// Which step failed; nil for a verified value, and for one whose verdict came from Apple's StoreKit.
  public var verificationFailure: VerificationFailure? { unsafePayloadValue.signature.failure }
}
