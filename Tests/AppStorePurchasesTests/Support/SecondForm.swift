import Foundation

/// The other signature that an ECDSA key and a text have: (r, n - s) beside (r, s).
enum SecondForm {
  /// The order of P-256's group, most significant byte first (FIPS 186-4, D.1.2.3).
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA,
    0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]

  /// The token with its signature in the other form; nil when the text is no token.
  static func of(_ text: String) -> String? {
    let parts = text.split(separator: ".")
    guard parts.count == 3,
      let signature = Data(
        base64Encoded: parts[2].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/") + "=="
      ),
      signature.count == 64
    else { return nil }
    let bytes = Array(signature)
    var difference = [UInt8](repeating: 0, count: 32)
    var borrow = 0
    for index in (0..<32).reversed() {
      let digit = Int(order[index]) - Int(bytes[32 + index]) - borrow
      borrow = digit < 0 ? 1 : 0
      difference[index] = UInt8(truncatingIfNeeded: digit)
    }
    return "\(parts[0]).\(parts[1])." + TokenForge.base64URL(Data(bytes[..<32] + difference))
  }
}
