import Foundation

/// Base64 in the alphabet of URLs, without padding: RFC 4648, section 5, as RFC 7515 wants it in a token.
enum Base64URL {
  static func encode(_ bytes: some DataProtocol) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Nil for text that is no such encoding.
  static func decode(_ text: String) -> Data? {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4))
  }
}
