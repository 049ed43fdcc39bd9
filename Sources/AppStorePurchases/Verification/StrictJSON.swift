import Foundation

/// Whether bytes are one JSON object exactly as RFC 8259 says, to the last member that nobody reads.
///
/// Foundation's decoder looks only at what it is asked for, and takes the last of members with one name. A token that
/// reads differently elsewhere is refused here: no member twice in an object (canonically equivalent names are one), no
/// half of a surrogate pair, nothing nested deeper than ``maximumDepth``.
struct StrictJSON {
  static let maximumDepth = 64

  private let bytes: [UInt8]
  private var position = 0

  /// `bytes` must be UTF-8.
  static func isObject(_ bytes: Data) -> Bool {
    var reader = StrictJSON(bytes: Array(bytes))
    reader.skipSpace()
    guard reader.next == UInt8(ascii: "{"), reader.value(depth: 0) else { return false }
    reader.skipSpace()
    return reader.next == nil
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let character = next, [0x20, 0x09, 0x0A, 0x0D].contains(character) { position += 1 }
  }
}

// Values.
extension StrictJSON {
  private mutating func value(depth: Int) -> Bool {
    guard depth < Self.maximumDepth else { return false }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return object(depth)
    case UInt8(ascii: "["): return array(depth)
    case UInt8(ascii: "\""): return string() != nil
    case UInt8(ascii: "t"): return word("true")
    case UInt8(ascii: "f"): return word("false")
    case UInt8(ascii: "n"): return word("null")
    default: return number()
    }
  }

  private mutating func object(_ depth: Int) -> Bool {
    guard take("{") else { return false }
    skipSpace()
    if take("}") { return true }
    var names: Set<String> = []
    while true {
      skipSpace()
      guard let name = string(), names.insert(name).inserted else { return false }
      skipSpace()
      guard take(":"), value(depth: depth + 1) else { return false }
      skipSpace()
      if take("}") { return true }
      guard take(",") else { return false }
    }
  }

  private mutating func array(_ depth: Int) -> Bool {
    guard take("[") else { return false }
    skipSpace()
    if take("]") { return true }
    while true {
      guard value(depth: depth + 1) else { return false }
      skipSpace()
      if take("]") { return true }
      guard take(",") else { return false }
    }
  }

  private mutating func word(_ word: StaticString) -> Bool {
    let letters = Array(word.description.utf8)
    guard bytes.dropFirst(position).starts(with: letters) else { return false }
    position += letters.count
    return true
  }

  private mutating func number() -> Bool {
    _ = take("-")
    if !take("0"), digits() == 0 { return false }
    if take("."), digits() == 0 { return false }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      if digits() == 0 { return false }
    }
    // A comma, a bracket or space follows, or the caller refuses it: `01` ends here with its 1 left over.
    return true
  }

  /// How many were there.
  private mutating func digits() -> Int {
    let start = position
    while let character = next, (0x30...0x39).contains(character) { position += 1 }
    return position - start
  }
}

// Strings.
extension StrictJSON {
  /// Its characters; nil where it is not one.
  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while let character = next {
      position += 1
      switch character {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        text += Array(String(scalar).utf8)
      case 0..<0x20: return nil
      default: text.append(character)
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard let character = next else { return nil }
    position += 1
    switch character {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(character)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return unicode()
    default: return nil
    }
  }

  private mutating func unicode() -> Unicode.Scalar? {
    guard let first = hexadecimal() else { return nil }
    if let scalar = Unicode.Scalar(first) { return scalar }
    // The first half of a pair needs the second.
    guard (0xD800..<0xDC00).contains(first), take("\\"), take("u"), let second = hexadecimal(),
      (0xDC00..<0xE000).contains(second)
    else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  private mutating func hexadecimal() -> UInt32? {
    let digits = bytes.dropFirst(position).prefix(4)
    guard digits.count == 4, let text = String(validating: digits, as: UTF8.self),
      text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { return nil }
    position += 4
    return UInt32(text, radix: 16)
  }
}
