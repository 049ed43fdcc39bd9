/// One word or sign of an expression, with the column where it starts.
struct ExpressionToken: Hashable {
  enum Kind: Hashable {
    /// A name, a keyword, a path such as `home.city`, or `@id`.
    case word(String)
    /// A name or path that has brackets, without them: never a keyword.
    case name(String)
    /// Digits with sign, point and exponent, as they stand.
    case number(String)
    /// A date without quotes: `2026-11-21`, `2026-11-21T08:30:00Z`.
    case date(String)
    case string(String)
    case comparison(String)
    case open, close, comma
    case end
  }
  var kind: Kind
  var column: Int

  /// As messages name it.
  var name: String {
    switch kind {
    case .word(let text), .name(let text), .number(let text), .date(let text), .comparison(let text): "'\(text)'"
    case .string: "a text"
    case .open: "'('"
    case .close: "')'"
    case .comma: "','"
    case .end: "the end"
    }
  }
}
