/// Cuts an expression into tokens.
struct ExpressionLexer {
  private let characters: [Character]
  private var position = 0

  /// All tokens, the last of kind `end`.
  static func tokens(of text: String) throws(ExpressionError) -> [ExpressionToken] {
    var lexer = ExpressionLexer(characters: Array(text))
    var tokens: [ExpressionToken] = []
    repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
    return tokens
  }

  private init(characters: [Character]) { self.characters = characters }

  private mutating func next() throws(ExpressionError) -> ExpressionToken {
    while position < characters.count, characters[position].isWhitespace { position += 1 }
    let column = position + 1
    guard position < characters.count else { return ExpressionToken(kind: .end, column: column) }
    return ExpressionToken(kind: try kind(startingWith: characters[position], column: column), column: column)
  }

  private mutating func kind(
    startingWith first: Character, column: Int
  ) throws(ExpressionError) -> ExpressionToken.Kind {
    switch first {
    case "(": return single(.open)
    case ")": return single(.close)
    case ",": return single(.comma)
    case "=", "!", "<", ">": return try comparison(column: column)
    case "'", "\"": return .string(try string(quote: first, column: column))
    case "-", "+", "0"..."9": return try number(column: column)
    case _ where first.isLetter || "_@~[".contains(first): return try word(column: column)
    case ".":
      guard let next = characters.dropFirst(position + 1).first, next.isLetter || next == "[" else { fallthrough }
      return try word(column: column)
    default: throw ExpressionError("'\(first)' means nothing here; put text into quotes", at: column)
    }
  }

  private mutating func single(_ kind: ExpressionToken.Kind) -> ExpressionToken.Kind {
    position += 1
    return kind
  }

  private mutating func take(while condition: (Character) -> Bool) -> String {
    let start = position
    while position < characters.count, condition(characters[position]) { position += 1 }
    return String(characters[start..<position])
  }

  private mutating func comparison(column: Int) throws(ExpressionError) -> ExpressionToken.Kind {
    let sign = take { "=!<>".contains($0) }
    switch sign {
    case "=", "==": return .comparison("=")
    case "!=", "<>": return .comparison("!=")
    case "<", "<=", ">", ">=": return .comparison(sign)
    default: throw ExpressionError("'\(sign)' is no comparison; use = != < <= > >=", at: column)
    }
  }

  private mutating func word(column: Int) throws(ExpressionError) -> ExpressionToken.Kind {
    var text = ""
    var hasBrackets = false
    while true {
      text += take { $0.isLetter || $0.isNumber || "_.@~".contains($0) }
      guard position < characters.count, characters[position] == "[", text.isEmpty || text.hasSuffix(".") else { break }
      var rest = characters[position...]
      guard let name = BracketedName.take(from: &rest) else {
        throw ExpressionError("the name that begins here has no closing ]", at: position + 1)
      }
      if name.isEmpty { throw ExpressionError("there is no name between the brackets", at: position + 1) }
      text += name
      hasBrackets = true
      position = rest.startIndex
    }
    return hasBrackets ? .name(text) : .word(text)
  }

  private mutating func number(column: Int) throws(ExpressionError) -> ExpressionToken.Kind {
    let text = take { $0.isNumber || $0.isLetter || ".:+-".contains($0) }
    // A year, and no exponent.
    if text.count >= 8, text.dropFirst(4).first == "-", text.prefix(4).allSatisfy(\.isNumber) { return .date(text) }
    var digits = text[...]
    if digits.first == "+" { digits = digits.dropFirst() }
    guard Double(digits) != nil, digits.last?.isNumber == true, digits.allSatisfy({ $0.isASCII && $0 != ":" }) else {
      throw ExpressionError(
        "'\(text)' is neither a number nor a date such as 2026-11-21; put text into quotes, and a name into brackets",
        at: column)
    }
    return .number(String(digits))
  }

  private mutating func string(quote: Character, column: Int) throws(ExpressionError) -> String {
    position += 1
    var text = ""
    while position < characters.count {
      let character = characters[position]
      position += 1
      if character == quote { return text }
      guard character == "\\" else {
        text.append(character)
        continue
      }
      guard position < characters.count else { break }
      switch characters[position] {
      case "n": text.append("\n")
      case "t": text.append("\t")
      case "\\", "'", "\"": text.append(characters[position])
      default:
        throw ExpressionError(
          "the escape '\\\(characters[position])' is not known; use \\' \\\" \\\\ \\n \\t", at: position)
      }
      position += 1
    }
    throw ExpressionError("the text that begins here has no closing \(quote)", at: column)
  }
}
