import Foundation

/// Base64 as age's headers have it: the standard alphabet, no padding, and one spelling for each content.
enum CanonicalBase64 {
  static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let text = Data(bytes).base64EncodedString()
    return String(text.prefix { $0 != "=" })
  }

  /// Nil for padding, for characters outside the alphabet, and where bits are set that no byte holds.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.allSatisfy({ $0 != UInt8(ascii: "=") }), text.count % 4 != 1 else { return nil }
    let padded = String(decoding: text, as: UTF8.self) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard let data = Data(base64Encoded: padded), encode(data).utf8.elementsEqual(text) else { return nil }
    return Array(data)
  }
}
