import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `#Predicate` of models: the body as calls of Foundation's `PredicateExpressions`.
///
/// Foundation's own macro makes one expression of the body. The compiler then settles all its types together, and
/// gives up at eight to ten comparisons. Here each comparison is a statement, see ``PredicateBody``.
enum PredicateMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    guard let closure = node.trailingClosure ?? node.arguments.first?.expression.as(ClosureExprSyntax.self) else {
      throw DiagnosticsError(diagnostics: [Diagnostic(.predicateWithoutBody, at: node)])
    }
    let mistakes = PredicateMistakes()
    let body = PredicateBody(mistakes: mistakes).closure(
      closure, inputs: node.genericArgumentClause?.arguments.count ?? 1)
    guard mistakes.all.isEmpty else { throw DiagnosticsError(diagnostics: mistakes.all) }
    return "FoundationEssentials.Predicate\(node.genericArgumentClause?.trimmed)(\(raw: body))"
  }
}

/// The mistakes of a predicate, collected over the whole of it.
final class PredicateMistakes {
  private(set) var all: [Diagnostic] = []

  func append(_ diagnostic: Diagnostic) { all.append(diagnostic) }
}
