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
    for character in rest {
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
    while let first = rest.first, first.isLineEnd { take() }
    guard !rest.isEmpty else { return nil }
    var row = [try nextField()]
    while rest.first == separator {
      take()
      row.append(try nextField())
    }
    if !rest.isEmpty { take() }  // the line's end, which nextField() left
    return row
  }

  private mutating func nextField() throws -> Field {
    if rest.first == "\"" { return try quotedField() }
    var field = Field(text: "", position: position)
    while let character = rest.first, character != separator, !character.isLineEnd {
      guard character != "\"" else {
        throw failure(.quoteInside)
      }
      field.text.append(character)
      take()
    }
    return field
  }

  private mutating func quotedField() throws -> Field {
    let opening = position
    take()
    var field = Field(text: "", position: position)
    while let character = rest.first {
      take()
      guard character == "\"" else {
        field.text.append(character)
        continue
      }
      if rest.first == "\"" {
        field.text.append("\"")
        take()
      } else if let next = rest.first, next != separator, !next.isLineEnd {
        throw failure(.textAfterQuote)
      } else {
        return field
      }
    }
    throw failure(.quoteNeverClosed, at: opening)
  }

  private mutating func take() {
    if let character = rest.popFirst() { position.advance(over: character) }
  }

  private func failure(_ trouble: MessageKey, at place: TextPosition? = nil) -> SubscriptionError {
    SubscriptionList.failure(Sentence(trouble), at: place ?? position)
  }
}
