import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `#Predicate` of models: Foundation's, after each `other.evaluate(object)` became what that macro accepts.
///
/// Foundation's own macro refuses `evaluate` outside of Apple's systems. So what is asked, a predicate or an
/// expression, is wrapped outside of the body, and the body asks that whether it contains the object.
enum PredicateMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> ExprSyntax {
    let questions = EvaluationRewriter(inputs: ClosureInputs(of: node).names, context: context)
    let closure = node.trailingClosure.map { questions.visit($0) }
    let arguments = questions.visit(node.arguments)
    let body = closure.map { "\($0)" } ?? "(\(arguments))"
    let predicate: ExprSyntax = "#FoundationPredicate\(node.genericArgumentClause)\(raw: body)"
    guard !questions.asked.isEmpty else { return predicate }
    // A statement each, so that the type of what is asked is known before the body's is looked for.
    let asked = questions.asked.map { "let \($0.name) = Tandem._asked(\($0.subject))" }
    return "{\n\(raw: asked.joined(separator: "\n"))\nreturn \(predicate)\n}()"
  }
}

/// Replaces `other.evaluate(object)` by `name.contains(object)`, and keeps what each name stands for.
private final class EvaluationRewriter: SyntaxRewriter {
  private(set) var asked: [(name: TokenSyntax, subject: ExprSyntax)] = []
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
    let name: TokenSyntax = "_asked\(raw: asked.count + 1)"
    asked.append((name, subject.trimmed))
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
    let before = asked.count
    let inner = visit(node.expression)
    return asked.count > before ? inner : ExprSyntax(node)
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
