extension JSON {
  /// Where a text stops being JSON.
  package struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1, in characters.
    package var column: Int
    package var problem: String
    /// The member of the outermost object in which that is.
    package var member: String?
    /// Whether the text of a string is the problem.
    package var isNotUTF8: Bool { problem == SyntaxError.notUTF8 }
    fileprivate static let notUTF8 = "not UTF-8"
    package var description: String { "column \(column): \(problem)" }
  }

  /// Reads exactly one value of UTF-8.
  package init(parsingUTF8 bytes: some Sequence<UInt8>) throws(SyntaxError) {
    var parser = JSONParser(bytes: Array(bytes))
    self = try parser.parseDocument()
  }

  /// Reads exactly one value. Nesting is limited to 128 levels, so that no input exhausts the stack.
  package init(parsing text: some StringProtocol) throws(SyntaxError) {
    var parser = JSONParser(bytes: Array(text.utf8))
    self = try parser.parseDocument()
  }
}

/// A recursive-descent reader of RFC 8259 over UTF-8.
private struct JSONParser {
  let bytes: [UInt8]
  var position = 0
  var depth = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func parseDocument() throws(JSON.SyntaxError) -> JSON {
    let value = try parseValue()
    skipSpaces()
    if position < bytes.count { throw fail("something follows the value") }
    return value
  }

  private func fail(_ problem: String, at offset: Int? = nil) -> JSON.SyntaxError {
    let before = bytes.prefix(offset ?? position)
    return JSON.SyntaxError(column: String(decoding: before, as: UTF8.self).count + 1, problem: problem)
  }

  private mutating func skipSpaces() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func parseValue() throws(JSON.SyntaxError) -> JSON {
    skipSpaces()
    guard position < bytes.count else { throw fail("the text ends where a value is expected") }
    switch bytes[position] {
    case UInt8(ascii: "{"): return try nested { parser throws(JSON.SyntaxError) in try parser.parseObject() }
    case UInt8(ascii: "["): return try nested { parser throws(JSON.SyntaxError) in try parser.parseArray() }
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    default: return try parseNumber()
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSON.SyntaxError) -> JSON
  ) throws(JSON.SyntaxError) -> JSON {
    depth += 1
    defer { depth -= 1 }
    if depth > 128 { throw fail("more than 128 levels of nesting") }
    position += 1
    return try body(&self)
  }

  private mutating func parseWord(_ word: String, _ value: JSON) throws(JSON.SyntaxError) -> JSON {
    guard bytes[position...].starts(with: word.utf8) else { throw fail("expected a value") }
    position += word.utf8.count
    return value
  }

  private mutating func parseObject() throws(JSON.SyntaxError) -> JSON {
    var members: [JSON.Member] = []
    skipSpaces()
    if take("}") { return .object([]) }
    repeat {
      skipSpaces()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
        throw fail("expected a member's name")
      }
      let name = try parseString()
      skipSpaces()
      guard take(":") else { throw fail("expected ':'") }
      do {
        members.append(JSON.Member(name, try parseValue()))
      } catch {
        var error = error
        error.member = name
        throw error
      }
      skipSpaces()
    } while take(",")
    guard take("}") else { throw fail("expected ',' or '}'") }
    return .object(members)
  }

  private mutating func parseArray() throws(JSON.SyntaxError) -> JSON {
    var elements: [JSON] = []
    skipSpaces()
    if take("]") { return .array([]) }
    repeat {
      elements.append(try parseValue())
      skipSpaces()
    } while take(",")
    guard take("]") else { throw fail("expected ',' or ']'") }
    return .array(elements)
  }

  private mutating func parseNumber() throws(JSON.SyntaxError) -> JSON {
    let start = position
    _ = take("-")
    if !take("0"), skipDigits() == 0 { throw fail("expected a value", at: start) }
    if take("."), skipDigits() == 0 { throw fail("expected a digit") }
    if take("e") || take("E") {
      if !take("-") { _ = take("+") }
      if skipDigits() == 0 { throw fail("expected a digit") }
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) { position += 1 }
    return position - start
  }

  private mutating func parseString() throws(JSON.SyntaxError) -> String {
    let start = position
    position += 1
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else {
          throw fail(JSON.SyntaxError.notUTF8, at: start)
        }
        return string
      case UInt8(ascii: "\\"): text.append(contentsOf: Array(String(try parseEscape()).utf8))
      case 0..<0x20: throw fail("a control character stands in a string; write it as \\u00..", at: position - 1)
      default: text.append(byte)
      }
    }
    throw fail("the string has no end", at: start)
  }

  private mutating func parseEscape() throws(JSON.SyntaxError) -> Unicode.Scalar {
    guard position < bytes.count else { throw fail("the text ends in an escape") }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try parseUnicodeEscape()
    default: throw fail("unknown escape", at: position - 2)
    }
  }

  private mutating func parseUnicodeEscape() throws(JSON.SyntaxError) -> Unicode.Scalar {
    let first = try parseHexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if (0xD800..<0xDC00).contains(first), take("\\"), take("u") {
      let second = try parseHexadecimal()
      if (0xDC00..<0xE000).contains(second) {
        let joined = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        if let scalar = Unicode.Scalar(joined) { return scalar }
      }
    }
    throw fail("half of a surrogate pair")
  }

  private mutating func parseHexadecimal() throws(JSON.SyntaxError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw fail("the text ends in an escape") }
    let digits = bytes[position..<position + 4]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let value = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw fail("expected four hexadecimal digits") }
    position += 4
    return value
  }
}
