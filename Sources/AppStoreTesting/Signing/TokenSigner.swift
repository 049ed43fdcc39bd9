import Crypto
import Foundation

/// Signs payloads as App Store tokens: a JWS (RFC 7515) in compact form, ES256, with its certificates in `x5c`.
///
/// ```
/// base64url({"alg":"ES256","x5c":[leaf, intermediate, root]}) . base64url(payload) . base64url(r ‖ s)
/// ```
///
/// Each call draws a new signature, so two tokens of one payload differ in their last part. One signature of
/// P-256 a call.
struct TokenSigner: Sendable {
  private let header: String
  private let key: P256.Signing.PrivateKey

  init(_ chain: SigningChain) throws {
    key = try P256.Signing.PrivateKey(rawRepresentation: chain.leaf.privateKey)
    // Standard base64 with padding, which needs no escapes in JSON but that of the solidus, which is optional.
    let certificates = chain.certificates.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
    header = Base64URL.encode(Data("{\"alg\":\"ES256\",\"x5c\":[\(certificates)]}".utf8))
  }

  func token(payload: Data) throws -> String {
    let signed = "\(header).\(Base64URL.encode(payload))"
    return "\(signed).\(Base64URL.encode(try key.signature(for: Data(signed.utf8)).rawRepresentation))"
  }
}
