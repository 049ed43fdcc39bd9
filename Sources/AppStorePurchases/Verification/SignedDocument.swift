public import Foundation

/// A JWS in compact form, taken apart but not believed: header, payload and signature as bytes.
public struct SignedDocument: Hashable, Sendable {
  /// The longest text that is looked at.
  public static let maximumLengthBytes = 64 * 1024

  /// The text as it was received.
  public let text: String
  /// The decoded header, JSON in an honest token.
  public let header: Data
  /// The decoded payload, JSON in an honest token.
  public let payload: Data
  /// The decoded signature.
  public let signature: Data
  /// The bytes under the signature: the text up to the second full stop.
  public let signedData: Data

  /// Step 1 of verification: throws ``VerificationFailure`` for a text that is too long, or that is not three parts of
  /// base64url without padding.
  public init(_ text: String) throws {
    guard text.utf8.count <= Self.maximumLengthBytes else {
      throw VerificationFailure(.form, "the token is longer than \(Self.maximumLengthBytes) bytes")
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw VerificationFailure(.form, "the token does not have three parts")
    }
    let decoded = try parts.map { part in
      guard !part.isEmpty, let data = Base64URL.decode(part) else {
        throw VerificationFailure(.form, "a part of the token is empty or is not base64url without padding")
      }
      return data
    }
    self.text = text
    header = decoded[0]
    payload = decoded[1]
    signature = decoded[2]
    signedData = Data(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
  }
}
