import Foundation
import Testing

@testable import AppStorePurchases

@Suite struct Base64URLTests {
  private func text(of bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  @Test func `bytes of any length are read back from their text, also from a part of a longer one`() {
    for length in 0..<300 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length &* 11) }
      #expect(Base64URL.decode(text(of: bytes).utf8) == Data(bytes))
      #expect(Base64URL.decode("..\(text(of: bytes))".utf8.dropFirst(2)) == Data(bytes))
    }
  }

  @Test func `each of the 64 characters is one value, and every other is refused`() {
    for character in UInt8.min...UInt8.max {
      let isKnown = text(of: Array(0...255)).utf8.contains(character)
      let isRead = Base64URL.decode([character] + Array("AAA".utf8)) != nil
      #expect(isRead == isKnown, "\(character)")
    }
  }

  @Test func `bits that are left over, and a length that no bytes have, are refused`() {
    #expect(Base64URL.decode("AA".utf8) == Data([0]))
    for text in ["AB", "A_", "AAB", "A", "AAAAA", "AA==", "AA A", "AA+A", "AA/A"] {
      #expect(Base64URL.decode(text.utf8) == nil, "\(text)")
    }
  }
}
