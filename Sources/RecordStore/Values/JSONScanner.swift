import LMDB

/// Steps through a JSON text that has no blanks, as Foundation's encoder writes it.
///
/// A step that meets anything else gives nil or false, and what is read then counts for nothing: read the text by a
/// general decoder.
struct JSONScanner {
  private let bytes: RawBytes
  private var place = 0

  init(_ bytes: RawBytes) { self.bytes = bytes }

  /// Whether the text is over; after a failure too, which the caller of the step has been told.
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
    let isThere = word ~= bytes.slice(place..<end)
    if isThere { place = end }
    return isThere
  }

  /// Lends the scanner for the value of each member; false if `read` does not want one, or a name does not come after
  /// the one before it in the order of bytes, in which they are written. So none comes twice.
  mutating func members(_ read: (JSONName, inout JSONScanner) -> Bool) -> Bool {
    guard skip("{" as Unicode.Scalar) else { return false }
    if skip("}" as Unicode.Scalar) { return true }
    var last: JSONName?
    repeat {
      guard let name = text().map(JSONName.init), last.map({ $0.bytes.compare(name.bytes) < 0 }) ?? true,
        skip(":" as Unicode.Scalar),
        read(name, &self)
      else { return false }
      last = name
    } while skip("," as Unicode.Scalar)
    return skip("}" as Unicode.Scalar)
  }

  mutating func elements<Element>(_ read: (inout JSONScanner) -> Element?) -> [Element]? {
    guard skip("[" as Unicode.Scalar) else { return nil }
    if skip("]" as Unicode.Scalar) { return [] }
    var elements: [Element] = []
    // Most lists are short; to grow step by step costs more than what is left over.
    elements.reserveCapacity(8)
    repeat {
      guard let element = read(&self) else { return nil }
      elements.append(element)
    } while skip("," as Unicode.Scalar)
    return skip("]" as Unicode.Scalar) ? elements : nil
  }

  /// A string without escapes, of valid UTF-8.
  mutating func string() -> String? {
    guard let text = text() else { return nil }
    return String(validating: text.buffer, as: UTF8.self) ?? fail()
  }

  /// The bytes between two quotation marks, without escapes.
  private mutating func text() -> RawBytes? {
    guard skip("\"" as Unicode.Scalar) else { return fail() }
    let rest = bytes.slice(place..<bytes.count)
    guard let end = rest.firstPlace(of: UInt8(ascii: "\"")) else { return fail() }
    let text = rest.slice(0..<end)
    guard text.buffer.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\\") }) else { return fail() }
    place += end + 1
    return text
  }

  mutating func bool() -> Bool? {
    if skip("true") { return true }
    return skip("false") ? false : fail()
  }

  /// A whole number that fits, without needless zeros in front.
  mutating func integer<Number: FixedWidthInteger>() -> Number? {
    let isNegative = Number.isSigned && skip("-" as Unicode.Scalar)
    let start = place
    var (number, hasOverflown): (Number, Bool) = (0, false)
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      let digit = Number(byte - UInt8(ascii: "0"))
      let (tens, first) = number.multipliedReportingOverflow(by: 10)
      // Downwards where it is negative, since the least number has no positive one.
      let (sum, second) = isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      (number, hasOverflown) = (sum, hasOverflown || first || second)
      place += 1
    }
    let isNeedless = place - start > 1 && bytes.load(at: start, as: UInt8.self) == UInt8(ascii: "0")
    guard place > start, !hasOverflown, !isNeedless, !(isNegative && number == 0) else { return fail() }
    return number
  }

  /// Goes where no step succeeds: a member that may be missing must not be taken for missing.
  private mutating func fail<Value>() -> Value? {
    place = bytes.count
    return nil
  }
}
