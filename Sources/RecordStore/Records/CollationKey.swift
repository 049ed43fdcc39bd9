import LMDB

/// Bytes in whose order people expect texts to stand: letters without regard to case and accents first,
/// numbers by their value, then accents, then case (lower case first).
///
/// The order belongs to no locale and is the same on every device: Latin letters with strokes stand with
/// their base letter, Cyrillic ones in one alphabet that holds the Ukrainian, Russian, Belarusian, Serbian,
/// Macedonian and Bulgarian orders. For other scripts it is the order of the code points.
///
/// ```
/// key     = letters [02 accents [02 case]]           canonically equal texts have equal keys, others different ones
/// letters   for each scalar of the text in lower case, its accents taken away:
///   03                         white space
///   04 UTF-8                   any other sign; 04 02 (n + 4) for U+0000 to U+0003
///   05 (n + 2) d…              a number of n digits (253 and more: FF), each as 06 + its value, without leading zeros
///   10…29                      a to z
///   2A UTF-8                   any other letter; 2A D0 B0 (n + 2) for the Cyrillic letter n of the alphabet
/// accents   UTF-8 of the text in lower case, a byte n ≤ 3 as 03 (n + 4); nothing where the letters say it all
/// case      UTF-8 of the text, each byte inverted; nothing where it is in lower case
/// ```
/// Neither 00 nor 01 is among the bytes. What is a letter, and its lower case, is taken from Unicode 15: what came
/// later counts as a sign, so keys in an index stay what they are when the system's tables grow.
package enum CollationKey {
  /// The key of a text by itself.
  package static func bytes(of text: String) -> [UInt8] {
    var key = GrowingBytes(capacity: 3 * text.utf8.count + 2)
    text.withRawBytes { append($0, to: &key) }
    return key.take()
  }

  /// The beginning of the keys of all texts that begin with `text`, as far as that can be said: a number at its end may
  /// go on.
  package static func prefix(of text: String) -> [UInt8] {
    var letters = Letters()
    CanonicalText.normalized(text).withRawBytes { text in
      if text.isASCII { letters.append(ascii: text) } else { letters.append(scalarsOf: text) }
    }
    return letters.key.take()
  }

  /// `text` is UTF-8.
  static func append(_ text: RawBytes, to key: inout GrowingBytes) {
    guard text.isNormalizedPlainly else {
      return CanonicalText.withNormalized(text) { append(normalized: $0, to: &key) }
    }
    append(normalized: text, to: &key)
  }

  private static func append(normalized text: RawBytes, to key: inout GrowingBytes) {
    var letters = Letters()
    swap(&letters.key, &key)
    var lowered: String?
    if text.isASCII { letters.append(ascii: text) } else { lowered = letters.append(scalarsOf: text) }
    letters.endNumber()
    swap(&letters.key, &key)
    if lowered == nil, !letters.sayAll { lowered = String(decoding: text.buffer, as: UTF8.self).lowercased() }
    let isLowered =
      lowered.map { $0.withRawBytes { $0 == text } } ?? !text.buffer.contains { (0x41...0x5A).contains($0) }
    guard lowered != nil || !isLowered else { return }
    key.append(Mark.end)
    for byte in (lowered ?? "").utf8 {
      if byte > 3 {
        key.append(byte)
      } else {
        key.append(3)
        key.append(byte + 4)
      }
    }
    guard !isLowered else { return }
    key.append(Mark.end)
    for byte in text.buffer { key.append(~byte) }
  }
}

/// The first bytes of a key's elements.
private enum Mark {
  static let end: UInt8 = 2
  static let space: UInt8 = 3
  static let sign: UInt8 = 4
  static let number: UInt8 = 5
  static let digit: UInt8 = 6
  static let latin: UInt8 = 0x10
  static let letter: UInt8 = 0x2A
}

/// The first part of a key on its way.
private struct Letters {
  var key = GrowingBytes(capacity: 0)
  /// Whether no other text in lower case has these letters.
  private(set) var sayAll = true
  /// The digits of the number that has not ended yet.
  private var digits: [UInt8] = []

  /// In ASCII every scalar is a byte.
  mutating func append(ascii text: RawBytes) {
    for byte in text.buffer {
      switch byte {
      case 0x61...0x7A, 0x41...0x5A:
        endNumber()
        key.append(Mark.latin + (byte | 0x20) - 0x61)
      case 0x30...0x39: digits.append(byte - 0x30)
      case 0x20:
        endNumber()
        key.append(Mark.space)
      case 0x09...0x0D:
        endNumber()
        key.append(Mark.space)
        sayAll = false
      default: appendSign(Unicode.Scalar(byte))
      }
    }
  }

  /// Gives back the text in lower case.
  @discardableResult
  mutating func append(scalarsOf text: RawBytes) -> String {
    var lowered = String.UnicodeScalarView()
    for scalar in String(decoding: text.buffer, as: UTF8.self).unicodeScalars {
      guard scalar.isOfUnicode15 else {
        lowered.append(scalar)
        appendSign(scalar)
        continue
      }
      for part in scalar.properties.lowercaseMapping.unicodeScalars {
        lowered.append(part)
        append(part)
      }
    }
    return CanonicalText.normalized(String(lowered))
  }

  /// Letters of the Cyrillic alphabet stay whole, as й is not an и with an accent; others lose their accents.
  private mutating func append(_ scalar: Unicode.Scalar) {
    guard !scalar.isASCII, Self.cyrillic[scalar] == nil else { return appendPlain(scalar) }
    for base in CanonicalText.folded(String(scalar)).unicodeScalars {
      for part in Self.expansions[base] ?? [base] { appendPlain(part) }
    }
  }

  private mutating func appendPlain(_ scalar: Unicode.Scalar) {
    if scalar.properties.generalCategory == .decimalNumber, let value = scalar.properties.numericValue {
      return digits.append(UInt8(value))
    }
    guard scalar.properties.isAlphabetic || scalar.properties.isWhitespace else { return appendSign(scalar) }
    endNumber()
    if scalar.properties.isWhitespace {
      key.append(Mark.space)
    } else if (0x61...0x7A).contains(scalar.value) {
      key.append(Mark.latin + UInt8(scalar.value - 0x61))
    } else if let place = Self.cyrillic[scalar] {
      key.append(Mark.letter)
      appendUTF8("а")
      key.append(place + 2)
    } else {
      key.append(Mark.letter)
      appendUTF8(scalar)
    }
  }

  private mutating func appendSign(_ scalar: Unicode.Scalar) {
    endNumber()
    key.append(Mark.sign)
    guard scalar.value > 3 else {
      key.append(2)
      return key.append(UInt8(scalar.value) + 4)
    }
    appendUTF8(scalar)
  }

  private mutating func appendUTF8(_ scalar: Unicode.Scalar) {
    for byte in scalar.utf8 { key.append(byte) }
  }

  /// By the number of digits, leading zeros left out, then by the digits. 253 digits and more are equal in number.
  mutating func endNumber() {
    guard !digits.isEmpty else { return }
    let significant = digits.drop { $0 == 0 }
    if digits.count > max(1, significant.count) { sayAll = false }
    key.append(Mark.number)
    key.append(UInt8(min(253, significant.count)) + 2)
    for digit in significant { key.append(Mark.digit + digit) }
    digits.removeAll(keepingCapacity: true)
  }

  /// Letters that have no canonical decomposition and belong to another letter all the same.
  private static let expansions: [Unicode.Scalar: [Unicode.Scalar]] = [
    "ß": ["s", "s"], "æ": ["a", "e"], "œ": ["o", "e"], "ø": ["o"], "ł": ["l"], "đ": ["d"], "ħ": ["h"], "ŧ": ["t"],
    "ð": ["d"], "þ": ["t", "h"], "ı": ["i"], "ς": ["σ"],
  ]

  /// All at the place of а in the order of scripts, then in their own.
  private static let cyrillic: [Unicode.Scalar: UInt8] = {
    let alphabet = "абвгґѓдђеѐёєжзѕиѝіїйјклљмнњопрстћќуўфхцчџшщъыьэюя"
    let places = alphabet.unicodeScalars.enumerated().map { ($1, UInt8($0)) }
    return Dictionary(places, uniquingKeysWith: { first, _ in first })
  }()
}

extension Unicode.Scalar {
  fileprivate var isOfUnicode15: Bool { properties.age.map { $0.major <= 15 } ?? false }
}
