public import Foundation

/// A JWS in compact form, taken apart but not believed: header, payload and signature as bytes.
///
/// ```swift
/// let document = try SignedDocument(text)
/// let unverified = String(decoding: document.payload, as: UTF8.self)  // for a log: nothing of it is believed
/// ```
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

  /// Takes a text apart: step 1 of verification.
  ///
  /// - Throws: ``VerificationFailure`` for a text that is too long, or that is not three parts of base64url without
  ///   padding.
  public init(_ text: String) throws {
    try self.init(text, knownHeader: { _ in nil })
  }

  /// Asks `knownHeader` for the bytes of the header's text before decoding it: the tokens of a store share one, which
  /// is most of a token.
  init(_ text: String, knownHeader: (Substring) -> Data?) throws {
    guard text.utf8.count <= Self.maximumLengthBytes else {
      throw VerificationFailure(.form, "the token is longer than \(Self.maximumLengthBytes) bytes")
    }
    let (header, signed, signature) = try Self.parts(of: text)
    self.text = text
    self.header = try knownHeader(header) ?? Self.decoded(header)
    payload = try Self.decoded(signed[header.endIndex...].dropFirst())
    self.signature = try Self.decoded(signature)
    signedData = Data(signed.utf8)
  }

  /// The header, the text under the signature, and the signature.
  private static func parts(of text: String) throws -> (Substring, Substring, Substring) {
    let stop = UInt8(ascii: ".")
    guard let first = text.utf8.firstIndex(of: stop), let last = text.utf8.lastIndex(of: stop), first < last,
      !text.utf8[first..<last].dropFirst().contains(stop)
    else {
      throw VerificationFailure(.form, "the token does not have three parts")
    }
    return (text[..<first], text[..<last], text[text.utf8.index(after: last)...])
  }

  private static func decoded(_ part: Substring) throws -> Data {
    guard !part.isEmpty, let data = Base64URL.decode(part.utf8) else {
      throw VerificationFailure(.form, "a part of the token is empty or is not base64url without padding")
    }
    return data
  }
}
