import RecordStore

/// Reads a condition.
///
/// ```
/// condition  = alternative { "or" alternative }
/// alternative = term { "and" term }
/// term       = "not" term | "(" condition ")" | any | all | count | test
/// any, all   = ("any" | "all") relationship [ "(" condition ")" ]
/// count      = "count" relationship [ "(" condition ")" ] comparison number
/// test       = field [ comparison (value | field) | "in" "(" value { "," value } ")"
///                    | ("contains" | "startswith" | "endswith" | "search") text ]
/// value      = number | "text" | 'text' | date | "true" | "false" | "null"
/// ```
/// Keywords are read in any case; a field that is named like one can be reached through `@field.name`, or as `[name]`,
/// which may have blanks and signs: `[first name]`, `owner.[e-mail]`.
struct ExpressionParser {
  private static let deepest = 64
  private static let keywords: Set<String> = [
    "and", "or", "not", "in", "any", "all", "count", "true", "false", "null", "nil", "contains", "startswith",
    "endswith",
    "search",
  ]

  private let tokens: [ExpressionToken]
  private var position = 0
  private var depth = 0

  static func parse(_ text: String) throws(ExpressionError) -> Expression {
    var parser = ExpressionParser(tokens: try ExpressionLexer.tokens(of: text))
    let expression = try parser.condition()
    let rest = parser.current
    guard rest.kind == .end else {
      var remedy = "join conditions by 'and' or 'or'"
      if case .word = rest.kind { remedy += ", and put a name with blanks into brackets" }
      throw ExpressionError("\(rest.name) is not expected here; \(remedy)", at: rest.column)
    }
    return expression
  }

  private init(tokens: [ExpressionToken]) { self.tokens = tokens }

  private var current: ExpressionToken { tokens[position] }

  private mutating func advance() { position += 1 }

  private mutating func take(_ kind: ExpressionToken.Kind) -> Bool {
    guard current.kind == kind else { return false }
    advance()
    return true
  }

  private var keyword: String? {
    guard case .word(let text) = current.kind, ExpressionParser.keywords.contains(text.lowercased()) else { return nil }
    return text.lowercased()
  }

  private mutating func takeKeyword(_ word: String) -> Bool {
    guard keyword == word else { return false }
    advance()
    return true
  }

  private mutating func condition() throws(ExpressionError) -> Expression {
    depth += 1
    defer { depth -= 1 }
    if depth > ExpressionParser.deepest {
      throw ExpressionError("more than \(ExpressionParser.deepest) levels of parentheses", at: current.column)
    }
    var parts = [try alternative()]
    while takeKeyword("or") { parts.append(try alternative()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func alternative() throws(ExpressionError) -> Expression {
    var parts = [try term()]
    while takeKeyword("and") { parts.append(try term()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func term() throws(ExpressionError) -> Expression {
    var negations = 0
    while takeKeyword("not") { negations += 1 }
    let inner = try positiveTerm()
    return negations.isMultiple(of: 2) ? inner : .not(inner)
  }

  private mutating func positiveTerm() throws(ExpressionError) -> Expression {
    if current.kind == .open { return try parenthesised() }
    if takeKeyword("any") { return .related(.any, relationship: try name("a relationship"), try optionalCondition()) }
    if takeKeyword("all") { return .related(.all, relationship: try name("a relationship"), try parenthesised()) }
    if takeKeyword("count") {
      let relationship = try name("a relationship")
      let inner = try optionalCondition()
      return .related(.count(try comparison(), try literal()), relationship: relationship, inner)
    }
    return try test()
  }

  private mutating func parenthesised() throws(ExpressionError) -> Expression {
    let opening = current.column
    guard take(.open) else { throw ExpressionError("expected '(' instead of \(current.name)", at: current.column) }
    let inner = try condition()
    guard take(.close) else {
      throw ExpressionError(
        "expected ')' for the '(' in column \(opening), instead of \(current.name)", at: current.column)
    }
    return inner
  }

  private mutating func optionalCondition() throws(ExpressionError) -> Expression? {
    current.kind == .open ? try parenthesised() : nil
  }

  private mutating func test() throws(ExpressionError) -> Expression {
    let field = try name("a field")
    if case .comparison = current.kind { return .compare(field, try comparison(), try operand()) }
    if takeKeyword("in") { return .oneOf(field, try list()) }
    if let match = keyword.flatMap({ Expression.TextMatch(rawValue: $0) }) {
      advance()
      return .match(field, match, try literal())
    }
    return .flag(field)
  }

  private mutating func list() throws(ExpressionError) -> [Expression.Literal] {
    guard take(.open) else { throw ExpressionError("expected '(' after 'in'", at: current.column) }
    var literals = [try literal()]
    while take(.comma) { literals.append(try literal()) }
    guard take(.close) else {
      throw ExpressionError("expected ',' or ')' instead of \(current.name)", at: current.column)
    }
    return literals
  }

  private mutating func name(_ wanted: String) throws(ExpressionError) -> Expression.Name {
    let token = current
    if case .name(let text) = token.kind {
      advance()
      return Expression.Name(text: text, column: token.column)
    }
    guard case .word(let text) = token.kind else {
      throw ExpressionError("expected the name of \(wanted) instead of \(token.name)", at: token.column)
    }
    if let keyword {
      throw ExpressionError(
        "expected the name of \(wanted) instead of the keyword '\(keyword)'; a field of that name is '@field.\(text)'",
        at: token.column)
    }
    advance()
    let prefix = "@field."
    return Expression.Name(
      text: text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text, column: token.column)
  }

  private mutating func comparison() throws(ExpressionError) -> RecordFilter.Comparison {
    let token = current
    guard case .comparison(let sign) = token.kind else {
      throw ExpressionError("expected a comparison (= != < <= > >=) instead of \(token.name)", at: token.column)
    }
    advance()
    return switch sign {
    case "=": .equal
    case "!=": .notEqual
    case "<": .less
    case "<=": .lessOrEqual
    case ">": .greater
    default: .greaterOrEqual
    }
  }

  private mutating func operand() throws(ExpressionError) -> Expression.Operand {
    switch current.kind {
    case .word where keyword == nil, .name: return .name(try name("a field"))
    default: break
    }
    return .literal(try literal())
  }

  private mutating func literal() throws(ExpressionError) -> Expression.Literal {
    let token = current
    let value: Expression.Literal.Value? =
      switch token.kind {
      case .number(let digits): .number(digits)
      case .date(let text): .date(text)
      case .string(let text): .string(text)
      case .word:
        switch keyword {
        case "true": .bool(true)
        case "false": .bool(false)
        case "null", "nil": .null
        default: nil
        }
      default: nil
      }
    guard let value else {
      throw ExpressionError("expected a value instead of \(token.name); put text into quotes", at: token.column)
    }
    advance()
    return Expression.Literal(value: value, column: token.column)
  }
}
