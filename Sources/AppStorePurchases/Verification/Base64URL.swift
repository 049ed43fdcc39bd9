import Foundation

/// Base64 with the alphabet for file names and no padding (RFC 4648, section 5), read strictly: a value has one text.
enum Base64URL {
  /// Nil for a character outside the alphabet, an impossible length, or bits left over that are not zero.
  ///
  /// From one array into another: byte by byte out of text and into `Data`, it took most of a verification.
  static func decode(_ text: some Collection<UInt8>) -> Data? {
    let text = Array(text)
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for character in text {
      let value = values[Int(character)]
      guard value != none else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        bits &= 1 << count - 1
      }
    }
    return bits == 0 ? Data(bytes) : nil
  }

  /// Stands for a character outside the alphabet.
  private static let none: UInt8 = 255

  /// The six bits of each character.
  private static let values: [UInt8] = {
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    let small = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let alphabet = Array(letters) + Array(small) + Array(digits) + [UInt8(ascii: "-"), UInt8(ascii: "_")]
    var values = [UInt8](repeating: none, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}
