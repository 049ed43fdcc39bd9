/// Bytes in whose order people expect texts to stand: letters without regard to case and accents first,
/// numbers by their value, then accents, then case (lower case first).
///
/// The order belongs to no locale and is the same on every device: Latin letters with strokes stand with
/// their base letter, Cyrillic ones in one alphabet that holds the Ukrainian, Russian, Belarusian, Serbian,
/// Macedonian and Bulgarian orders. For other scripts it is the order of the code points.
package enum CollationKey {
  /// The key of a text, to be appended to a sort key as bytes of type data.
  package static func bytes(of text: String) -> [UInt8] {
    var key: [UInt8] = []
    let lowered = text.lowercased()
    appendPrimary(lowered, to: &key)
    key.append(0)
    key += CanonicalText.normalized(lowered).utf8
    key.append(0)
    // Capital letters have smaller bytes; inverted they come after.
    key += CanonicalText.normalized(text).utf8.map { ~$0 }
    return key
  }

  /// Classes of the first byte: spaces, other signs, numbers, letters.
  private enum Weight {
    static let space: UInt8 = 1
    static let sign: UInt8 = 2
    static let number: UInt8 = 3
    static let letter: UInt8 = 4
  }

  private static func appendPrimary(_ text: String, to key: inout [UInt8]) {
    var digits: [UInt8] = []
    for scalar in composed(text) {
      if let digit = scalar.properties.generalCategory == .decimalNumber ? scalar.properties.numericValue : nil {
        digits.append(UInt8(digit))
        continue
      }
      appendNumber(&digits, to: &key)
      appendScalar(scalar, to: &key)
    }
    appendNumber(&digits, to: &key)
  }

  /// Letters of the Cyrillic alphabet stay whole, as й is not an и with an accent; others lose their accents.
  private static func composed(_ text: String) -> [Unicode.Scalar] {
    CanonicalText.normalized(text).unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
      guard cyrillic[scalar] == nil, !scalar.isASCII else { return [scalar] }
      return CanonicalText.folded(String(scalar)).unicodeScalars.flatMap { expansions[$0] ?? [$0] }
    }
  }

  /// By the number of digits, leading zeros left out, then by the digits. 255 digits and more are equal in number.
  private static func appendNumber(_ digits: inout [UInt8], to key: inout [UInt8]) {
    guard !digits.isEmpty else { return }
    let significant = digits.drop { $0 == 0 }
    key.append(Weight.number)
    key.append(UInt8(min(255, significant.count)))
    key += significant
    digits = []
  }

  private static func appendScalar(_ scalar: Unicode.Scalar, to key: inout [UInt8]) {
    if scalar.properties.isWhitespace {
      key.append(Weight.space)
    } else if scalar.properties.isAlphabetic {
      let weight = cyrillic[scalar] ?? scalar.value << 8
      key.append(Weight.letter)
      key += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: weight >> $0) }
    } else {
      key.append(Weight.sign)
      key += [16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
    }
  }

  /// Letters that have no canonical decomposition and belong to another letter all the same.
  private static let expansions: [Unicode.Scalar: [Unicode.Scalar]] = [
    "ß": ["s", "s"], "æ": ["a", "e"], "œ": ["o", "e"], "ø": ["o"], "ł": ["l"], "đ": ["d"], "ħ": ["h"], "ŧ": ["t"],
    "ð": ["d"], "þ": ["t", "h"], "ı": ["i"],
  ]

  /// All at the place of а in the order of scripts, then in their own.
  private static let cyrillic: [Unicode.Scalar: UInt32] = {
    let alphabet = "абвгґѓдђеѐёєжзѕиѝіїйјклљмнњопрстћќуўфхцчџшщъыьэюя"
    let places = alphabet.unicodeScalars.enumerated().map { ($1, 0x430 << 8 | UInt32($0)) }
    return Dictionary(places, uniquingKeysWith: { first, _ in first })
  }()
}
