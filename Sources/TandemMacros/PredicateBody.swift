import SwiftDiagnostics
import SwiftSyntax

/// The closure of a predicate, or one within it, as it is written with `PredicateExpressions`.
///
/// What mentions no input of the predicate is known where that is made, and stays as it is: properties of captured
/// objects, calls, literals. All else becomes a call that builds an expression, and so do operators: where one
/// overflows, divides by zero or unwraps nil, the object is not found, and the process goes on.
///
/// Each comparison, call and chain gets a name by a statement of its own, so the compiler settles its types before it
/// looks at the next one. Paths, `&&`, `||` and `!` have one meaning each and stay in the statement that needs them.
final class PredicateBody {
  /// The names in the expansion for those in the source that only the body knows.
  private var inputs: [String: String]
  /// The values that optional chains go on with, by the link that has them.
  private var unwrapped: [SyntaxIdentifier: String]
  private var statements: [String] = []
  private let names: NameSource
  let mistakes: PredicateMistakes

  init(mistakes: PredicateMistakes) {
    self.mistakes = mistakes
    inputs = [:]
    unwrapped = [:]
    names = NameSource()
  }

  /// A closure in another one, which knows the other's inputs.
  private init(in outer: PredicateBody) {
    mistakes = outer.mistakes
    inputs = outer.inputs
    unwrapped = outer.unwrapped
    names = outer.names
  }

  // MARK: Closures

  /// Writes a closure with as many inputs as it names, at least `count`.
  func closure(_ node: ClosureExprSyntax, inputs count: Int = 1) -> String {
    let inner = PredicateBody(in: self)
    let parameters = inner.parameters(of: node, atLeast: count)
    return inner.block(parameters, inner.value(of: node.statements, in: node))
  }

  /// Writes a closure with one input.
  func closure(over name: String? = nil, _ value: (PredicateBody, String) -> PredicateValue) -> String {
    let inner = PredicateBody(in: self)
    let input = name ?? names.input()
    if let name { inner.inputs[name] = name }
    return inner.block(input, value(inner, input))
  }

  private func block(_ parameters: String, _ result: PredicateValue) -> String {
    guard !statements.isEmpty else { return "{ \(parameters) in\n\(result.text)\n}" }
    return "{ \(parameters) in\n\(statements.joined(separator: "\n"))\nreturn \(result.text)\n}"
  }

  private func parameters(of node: ClosureExprSyntax, atLeast count: Int) -> String {
    let captures = node.signature?.capture.map { "\($0.trimmed) " } ?? ""
    switch node.signature?.parameterClause {
    case .simpleInput(let list):
      return captures + list.map { declare($0.name.text) }.joined(separator: ", ")
    case .parameterClause(let clause):
      let list = clause.parameters.map { parameter in
        let name = declare((parameter.secondName ?? parameter.firstName).text)
        return parameter.type.map { "\(name): PredicateExpressions.Variable<\($0.trimmed)>" } ?? name
      }
      return "\(captures)(\(list.joined(separator: ", ")))"
    case nil:
      let last = InputFinder.lastShorthand(in: node)
      let list = (0..<max(count, last + 1)).map { number in
        let name = names.input()
        inputs["$\(number)"] = name
        return name
      }
      return captures + list.joined(separator: ", ")
    }
  }

  private func declare(_ name: String) -> String {
    if name != "_" { inputs[name] = name }
    return name
  }

  // MARK: Values

  func value(of statements: CodeBlockItemListSyntax, in node: some SyntaxProtocol) -> PredicateValue {
    guard let first = statements.first, statements.count == 1 else {
      return refuse(.predicateOfStatements, at: statements.dropFirst().first.map(Syntax.init) ?? Syntax(node))
    }
    switch first.item {
    case .expr(let expression): return value(of: expression)
    case .stmt(let statement):
      if let expression = statement.as(ExpressionStmtSyntax.self)?.expression { return value(of: expression) }
      if let expression = statement.as(ReturnStmtSyntax.self)?.expression { return value(of: expression) }
    case .decl: break
    }
    return refuse(.predicateOfStatements, at: first)
  }

  func value(of node: ExprSyntax) -> PredicateValue {
    if let name = unwrapped[node.id] { return .built(name) }
    if node.is(NilLiteralExprSyntax.self) { return .absent }
    guard node.isOperation || input(in: node) != nil else { return .known(node) }
    return switch node.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let name): inputs[name.baseName.text].map { .built($0) } ?? .known(node)
    case .tupleExpr(let tuple): value(ofTuple: tuple)
    // Predicates need no `try`, which a file says for the sake of `evaluate`.
    case .tryExpr(let attempt): value(of: attempt.expression)
    case .memberAccessExpr, .functionCallExpr, .subscriptCallExpr, .forceUnwrapExpr: value(ofChain: node)
    case .infixOperatorExpr(let operation): value(of: operation)
    case .prefixOperatorExpr(let operation): value(of: operation)
    case .ternaryExpr(let choice): value(of: choice)
    case .ifExpr(let choice): value(of: choice)
    case .isExpr(let cast): named("PredicateExpressions.TypeCheck<_, \(cast.type.trimmed)>(\(text(cast.expression)))")
    case .asExpr(let cast): value(of: cast)
    default: refuse(.predicateOf, at: node)
    }
  }

  func text(_ node: ExprSyntax) -> String { value(of: node).text }

  /// The name of the first input that an expression mentions.
  func input(in node: some SyntaxProtocol) -> String? {
    InputFinder.input(in: node, of: Set(inputs.keys), Set(unwrapped.keys))
  }

  /// Gives what is built of a node a name, unless it is made of known values alone: literals do not say their type,
  /// which is for the statement around them.
  func value(_ built: String, of node: some SyntaxProtocol) -> PredicateValue {
    input(in: node) == nil ? .built(built) : named(built)
  }

  /// Gives what is built a name.
  func named(_ built: String) -> PredicateValue {
    let name = names.part()
    statements.append("let \(name) = \(built)")
    return .built(name)
  }

  func refuse(_ mistake: Mistake, at node: some SyntaxProtocol, _ fixIts: [FixIt] = []) -> PredicateValue {
    mistakes.append(Diagnostic(mistake, at: node, fixIts))
    return .absent
  }

  private func value(ofTuple tuple: TupleExprSyntax) -> PredicateValue {
    guard let element = tuple.elements.first, tuple.elements.count == 1, element.label == nil else {
      return refuse(.predicateOf, at: tuple)
    }
    return value(of: element.expression)
  }

  private func value(of cast: AsExprSyntax) -> PredicateValue {
    let kind = cast.questionOrExclamationMark?.tokenKind == .postfixQuestionMark ? "Conditional" : "Force"
    return named("PredicateExpressions.\(kind)Cast<_, \(cast.type.trimmed)>(\(text(cast.expression)))")
  }

  // MARK: Chains

  /// A path, call, subscript or `!`: as a whole a `flatMap` where it has a `?`.
  private func value(ofChain node: ExprSyntax) -> PredicateValue {
    guard let link = node.lastOptionalLink, unwrapped[link.id] == nil else { return value(ofLink: node) }
    let wrapped = text(link.expression)
    let rest = closure { inner, name in
      inner.unwrapped[link.id] = name
      return inner.value(of: node)
    }
    return named("PredicateExpressions.build_flatMap(\(wrapped)) \(rest)")
  }

  private func value(ofLink node: ExprSyntax) -> PredicateValue {
    switch node.as(ExprSyntaxEnum.self) {
    case .memberAccessExpr(let member):
      guard let base = member.base, member.declName.argumentNames == nil else {
        return refuse(.predicateOf, at: node)
      }
      return .path(from: text(base), to: member.declName.trimmedDescription)
    case .functionCallExpr(let call): return value(of: call)
    case .subscriptCallExpr(let call): return value(of: call)
    case .forceUnwrapExpr(let unwrap):
      return value("PredicateExpressions.build_ForcedUnwrap(\(text(unwrap.expression)))", of: node)
    default: return refuse(.predicateOf, at: node)
    }
  }
}

/// A part of a predicate.
enum PredicateValue {
  /// A value that is known where the predicate is made, as the source says it.
  case known(ExprSyntax)
  /// A call that builds an expression, or the name of one.
  case built(String)
  case absent

  static func path(from root: String, to property: String) -> PredicateValue {
    .built("PredicateExpressions.build_KeyPath(root: \(root), keyPath: \\.\(property))")
  }

  var text: String {
    switch self {
    case .known(let expression): "PredicateExpressions.build_Arg(\(expression.trimmed))"
    case .built(let text): text
    case .absent: "PredicateExpressions.build_NilLiteral()"
    }
  }
}

/// Names that the source does not have. Not unique ones of the context: those begin with `$`, which means something
/// else for a parameter.
private final class NameSource {
  private var inputCount = 0
  private var partCount = 0

  func input() -> String {
    inputCount += 1
    return "_input\(inputCount)"
  }

  func part() -> String {
    partCount += 1
    return "_part\(partCount)"
  }
}

extension ExprSyntax {
  /// Whether it is built though all of it is known.
  fileprivate var isOperation: Bool {
    switch self.as(ExprSyntaxEnum.self) {
    case .infixOperatorExpr(let node): PredicateBody.operators.contains(node.operator.trimmedDescription)
    case .prefixOperatorExpr(let node):
      node.operator.text == "-" && !node.expression.is(IntegerLiteralExprSyntax.self)
        && !node.expression.is(FloatLiteralExprSyntax.self)
    case .forceUnwrapExpr: true
    case .tupleExpr(let node): node.elements.count == 1 && node.elements.first?.expression.isOperation == true
    default: false
    }
  }

  /// The last `?` of a chain of properties and calls; nil if it has none.
  fileprivate var lastOptionalLink: OptionalChainingExprSyntax? {
    var rest: ExprSyntax? = self
    while let node = rest {
      switch node.as(ExprSyntaxEnum.self) {
      case .optionalChainingExpr(let link): return link
      case .memberAccessExpr(let member): rest = member.base
      case .functionCallExpr(let call): rest = call.calledExpression
      case .subscriptCallExpr(let call): rest = call.calledExpression
      case .forceUnwrapExpr(let unwrap): rest = unwrap.expression
      default: return nil
      }
    }
    return nil
  }
}
