import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `#Predicate` of models: Foundation's, after what its macro does not accept became what it does.
///
/// That macro refuses `evaluate` outside of Apple's systems. So what is asked by `other.evaluate(object)`, a
/// predicate or an expression, is wrapped outside of the body, and the body asks that whether it contains the object.
///
/// It makes of `chart.id` a path from the object `chart`, which it then keeps: a model cannot be kept in a predicate,
/// and a path has one type, so that its value is not compared with an optional one. So the value is read outside of
/// the body, once, where the predicate is made.
enum PredicateMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> ExprSyntax {
    let body = BodyRewriter(inputs: ClosureInputs(of: node).names, context: context)
    let closure = node.trailingClosure.map { body.visit($0) }
    let arguments = body.visit(node.arguments)
    let text = closure.map { "\($0)" } ?? "(\(arguments))"
    let predicate: ExprSyntax = "#FoundationPredicate\(node.genericArgumentClause)\(raw: text)"
    guard !body.known.isEmpty else { return predicate }
    // A statement each, so that the type of what is known before is settled when the body's is looked for.
    return "{\n\(raw: body.known.joined(separator: "\n"))\nreturn \(predicate)\n}()"
  }
}

/// Replaces `other.evaluate(object)` by `name.contains(object)` and paths of what is known outside by names, and
/// keeps the statements that give the names their values.
private final class BodyRewriter: SyntaxRewriter {
  private(set) var known: [String] = []
  private var paths: [String: TokenSyntax] = [:]
  private let inputs: Set<String>
  private let context: any MacroExpansionContext

  init(inputs: Set<String>, context: some MacroExpansionContext) {
    self.inputs = inputs
    self.context = context
  }

  override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
    guard let member = node.calledExpression.as(MemberAccessExprSyntax.self), let subject = member.base,
      member.declName.baseName.text == "evaluate", member.declName.argumentNames == nil,
      let argument = node.arguments.first, node.arguments.count == 1, argument.label == nil,
      node.trailingClosure == nil
    else { return super.visit(node) }
    if let input = subject.tokens(viewMode: .sourceAccurate).first(where: isInput) {
      context.diagnose(Diagnostic(.evaluatedInput(input.text), at: subject))
      return ExprSyntax(node)
    }
    // Not a unique name of the context: those begin with `$`, which means something else for a parameter.
    let name: TokenSyntax = "_asked\(raw: known.count + 1)"
    known.append("let \(name) = Tandem._asked(\(subject.trimmed))")
    let question: ExprSyntax = "\(name).contains(\(visit(argument.expression)))"
    return question.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
  }

  /// Whether a token names an input of the body, and not a member or a label that is called alike.
  private func isInput(_ token: TokenSyntax) -> Bool {
    guard inputs.contains(token.text), let name = token.parent?.as(DeclReferenceExprSyntax.self) else { return false }
    return name.parent?.as(MemberAccessExprSyntax.self)?.declName != name
  }

  /// Predicates need no `try`; where a file says it for the sake of `evaluate`, Foundation's macro would refuse it.
  override func visit(_ node: TryExprSyntax) -> ExprSyntax {
    let before = known.count
    let inner = visit(node.expression)
    return known.count > before ? inner : ExprSyntax(node)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    guard node.isPathOfKnown, let root = node.root, !inputs.contains(root.baseName.text) else {
      return super.visit(node)
    }
    let text = node.trimmedDescription
    if paths[text] == nil {
      let name: TokenSyntax = "_known\(raw: known.count + 1)"
      known.append("let \(name) = \(text)")
      paths[text] = name
    }
    guard let name = paths[text] else { return ExprSyntax(node) }
    let value = DeclReferenceExprSyntax(baseName: name)
    return ExprSyntax(value).with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
  }
}

extension MemberAccessExprSyntax {
  /// The name at the beginning of a path of properties, `chart` of `chart.owner?.name`; nil for what begins or goes on
  /// otherwise.
  fileprivate var root: DeclReferenceExprSyntax? {
    var rest = base
    while let expression = rest {
      if let name = expression.as(DeclReferenceExprSyntax.self) { return name.argumentNames == nil ? name : nil }
      if let chaining = expression.as(OptionalChainingExprSyntax.self) {
        rest = chaining.expression
      } else {
        guard let member = expression.as(MemberAccessExprSyntax.self), member.declName.argumentNames == nil else {
          return nil
        }
        rest = member.base
      }
    }
    return nil
  }

  /// Whether it is a path of properties as a whole, which may be read wherever its root is known: not a method, not
  /// of a type, and not a part that ends within an optional chain.
  fileprivate var isPathOfKnown: Bool {
    guard let root, let first = root.baseName.text.first, first.isLowercase || first == "_" || first == "`",
      declName.argumentNames == nil, !["self", "init", "Type"].contains(declName.baseName.text)
    else { return false }
    guard let parent else { return true }
    if parent.as(FunctionCallExprSyntax.self)?.calledExpression.id == ExprSyntax(self).id { return false }
    let isContinued =
      parent.is(MemberAccessExprSyntax.self) || parent.is(OptionalChainingExprSyntax.self)
      || parent.is(ForceUnwrapExprSyntax.self)
      || parent.as(SubscriptCallExprSyntax.self)?.calledExpression.id == ExprSyntax(self).id
    return !isContinued || !hasOptionalChain
  }

  private var hasOptionalChain: Bool {
    tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .postfixQuestionMark }
  }
}

/// The names that only the body of a predicate knows: parameters of closures and what `if let` binds.
private final class ClosureInputs: SyntaxVisitor {
  private(set) var names: Set<String> = Set((0...9).map { "$\($0)" })

  init(of node: some FreestandingMacroExpansionSyntax) {
    super.init(viewMode: .sourceAccurate)
    walk(node)
  }

  override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.name.text)
    return .visitChildren
  }

  override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert((node.secondName ?? node.firstName).text)
    return .visitChildren
  }

  override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
    if let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text { names.insert(name) }
    return .visitChildren
  }
}
