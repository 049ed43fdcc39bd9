import LocalizedTexts

/// Reads comma- or semicolon-separated text strictly (RFC 4180): a field is bare, or wholly in double quotes with inner
/// quotes doubled. Anything else is an error at its line and column.
struct CSVReader {
  struct Field: Hashable {
    var text: String
    /// Where the field's text starts, behind an opening quote.
    var position: TextPosition
  }

  let separator: Character
  private var rest: Substring
  private var position = TextPosition(line: 1, column: 1)

  /// The separator is the one of `,` and `;` that the first line uses outside quotes; a comma when it uses neither.
  /// A byte order mark is skipped.
  init(_ text: String) throws {
    rest = text[...]
    if rest.unicodeScalars.first == "\u{FEFF}" { rest = Substring(rest.unicodeScalars.dropFirst()) }
    var isQuoted = false
    var found: Set<Character> = []
    for character in rest.unicodeScalars.lazy.map(Character.init) {
      if character == "\"" { isQuoted.toggle() }
      if character.isLineEnd && !isQuoted { break }
      if !isQuoted && (character == "," || character == ";") { found.insert(character) }
    }
    guard found.count < 2 else {
      throw SubscriptionError(.malformedList, Sentence(.twoSeparators), at: position)
    }
    separator = found.first ?? ","
  }

  /// The next line that is not blank, or nil at the end.
  mutating func nextRow() throws -> [Field]? {
    while let first = next, first.isLineEnd { take() }
    guard !rest.isEmpty else { return nil }
    var row = [try nextField()]
    while next == separator {
      take()
      row.append(try nextField())
    }
    if !rest.isEmpty { take() }  // the line's end, which nextField() left
    return row
  }

  private mutating func nextField() throws -> Field {
    if next == "\"" { return try quotedField() }
    if let field = takePlainField() { return field }
    var field = Field(text: "", position: position)
    while let character = next, character != separator, !character.isLineEnd {
      guard character != "\"" else {
        throw failure(.quoteInside)
      }
      field.text.append(character)
      take()
    }
    return field
  }

  /// A bare field of ASCII, as most are: its bytes are its characters, and need no search for their bounds. What may
  /// be combined with the separator behind it is left to the slow way.
  private mutating func takePlainField() -> Field? {
    var (index, count) = (rest.utf8.startIndex, 0)
    let stops = [separator.asciiValue, UInt8(ascii: "\n"), UInt8(ascii: "\r")]
    while index < rest.utf8.endIndex, !stops.contains(rest.utf8[index]) {
      let byte = rest.utf8[index]
      guard byte < 0x80, byte != UInt8(ascii: "\"") else { return nil }
      index = rest.utf8.index(after: index)
      count += 1
    }
    guard index < rest.utf8.endIndex else { return nil }
    let next = rest.utf8.index(after: index)
    guard next == rest.utf8.endIndex || rest.utf8[next] < 0x80 else { return nil }
    let field = Field(text: String(rest[..<index]), position: position)
    rest = rest[index...]
    position.column += count
    return field
  }

  private mutating func quotedField() throws -> Field {
    let opening = position
    take()
    var field = Field(text: "", position: position)
    while let character = next {
      take()
      guard character == "\"" else {
        field.text.append(character)
        continue
      }
      if next == "\"" {
        field.text.append("\"")
        take()
      } else if let next, next != separator, !next.isLineEnd {
        throw failure(.textAfterQuote)
      } else {
        return field
      }
    }
    throw failure(.quoteNeverClosed, at: opening)
  }

  /// The next character. A quote and a separator stand alone, also before an accent, with which Swift makes them one.
  private var next: Character? {
    guard let character = rest.first, character.asciiValue == nil, let first = character.unicodeScalars.first,
      case let alone = Character(first), alone == "\"" || alone == separator
    else { return rest.first }
    return alone
  }

  private mutating func take() {
    guard let character = next else { return }
    position.advance(over: character)
    rest = Substring(rest.unicodeScalars.dropFirst(character.unicodeScalars.count))
  }

  private func failure(_ trouble: MessageKey, at place: TextPosition? = nil) -> SubscriptionError {
    SubscriptionList.failure(Sentence(trouble), at: place ?? position)
  }
}
