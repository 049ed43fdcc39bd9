import LMDB

/// Steps through a JSON text that has no blanks, as Foundation's encoder writes it.
///
/// A step that meets anything else gives nil or false, and what is read then counts for nothing: read the text by a
/// general decoder.
struct JSONScanner {
  private let bytes: RawBytes
  private var place = 0

  init(_ bytes: RawBytes) { self.bytes = bytes }

  /// Whether the text is over; after a failure too, which whoever steps has been told.
  var isAtEnd: Bool { place == bytes.count }

  private var next: UInt8? { place < bytes.count ? bytes.load(at: place, as: UInt8.self) : nil }

  private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    place += 1
    return true
  }

  private mutating func skip(_ word: StaticString) -> Bool {
    let end = place + word.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    let isThere = word.withUTF8Buffer { bytes.slice(place..<end).buffer.elementsEqual($0) }
    if isThere { place = end }
    return isThere
  }

  /// Lends the scanner for the value of each member; false if `read` does not want one, or a name comes twice.
  mutating func members(_ read: (String, inout JSONScanner) -> Bool) -> Bool {
    guard skip("{" as Unicode.Scalar) else { return false }
    if skip("}" as Unicode.Scalar) { return true }
    var names: [String] = []
    repeat {
      guard let name = string(), !names.contains(name), skip(":" as Unicode.Scalar), read(name, &self) else {
        return false
      }
      names.append(name)
    } while skip("," as Unicode.Scalar)
    return skip("}" as Unicode.Scalar)
  }

  mutating func elements<Element>(_ read: (inout JSONScanner) -> Element?) -> [Element]? {
    guard skip("[" as Unicode.Scalar) else { return nil }
    if skip("]" as Unicode.Scalar) { return [] }
    var elements: [Element] = []
    repeat {
      guard let element = read(&self) else { return nil }
      elements.append(element)
    } while skip("," as Unicode.Scalar)
    return skip("]" as Unicode.Scalar) ? elements : nil
  }

  /// A string without escapes, of valid UTF-8.
  mutating func string() -> String? {
    guard skip("\"" as Unicode.Scalar) else { return fail() }
    let start = place
    var union: UInt8 = 0
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return fail() }
      union |= byte
      place += 1
    }
    let text = bytes.slice(start..<place)
    guard skip("\"" as Unicode.Scalar) else { return fail() }
    // ASCII is valid by itself; the validating initialiser takes several times as long.
    if union < 0x80 { return String(decoding: text.buffer, as: UTF8.self) }
    return String(validating: text.buffer, as: UTF8.self) ?? fail()
  }

  mutating func bool() -> Bool? {
    if skip("true") { return true }
    return skip("false") ? false : fail()
  }

  /// A whole number that fits, without needless zeros in front.
  mutating func integer<Number: FixedWidthInteger>() -> Number? {
    let start = place
    if Number.isSigned { _ = skip("-" as Unicode.Scalar) }
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
    let text = String(decoding: bytes.slice(start..<place).buffer, as: UTF8.self)
    guard text == "0" || !text.drop(while: { $0 == "-" }).hasPrefix("0") else { return fail() }
    return Number(text) ?? fail()
  }

  /// Goes where no step succeeds: a member that may be missing must not be taken for missing.
  private mutating func fail<Value>() -> Value? {
    place = bytes.count
    return nil
  }
}
