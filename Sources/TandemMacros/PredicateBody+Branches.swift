import SwiftSyntax

extension PredicateBody {
  func value(of node: TernaryExprSyntax) -> PredicateValue {
    conditional(text(node.condition), value(of: node.thenExpression), value(of: node.elseExpression))
  }

  func value(of node: IfExprSyntax) -> PredicateValue {
    guard let otherwise = node.elseBody else { return refuse(.predicateWithoutElse, at: node) }
    let bindings = node.conditions.compactMap { $0.condition.as(OptionalBindingConditionSyntax.self) }
    if bindings.count == node.conditions.count {
      let bound = text(binding: bindings[...], in: node)
      return named("PredicateExpressions.build_NilCoalesce(lhs: \(bound), rhs: \(value(of: otherwise).text))")
    }
    let tests = node.conditions.compactMap { $0.condition.as(ExprSyntax.self) }
    guard tests.count == node.conditions.count else { return refuse(.predicateOfConditions, at: node.conditions) }
    let test = tests.dropFirst().reduce(text(tests[0])) { both, test in
      "PredicateExpressions.build_Conjunction(lhs: \(both), rhs: \(text(test)))"
    }
    return conditional(test, value(of: node.body.statements, in: node.body), value(of: otherwise))
  }

  private func value(of node: IfExprSyntax.ElseBody) -> PredicateValue {
    switch node {
    case .codeBlock(let block): value(of: block.statements, in: block)
    case .ifExpr(let choice): value(of: choice)
    }
  }

  private func conditional(_ test: String, _ first: PredicateValue, _ second: PredicateValue) -> PredicateValue {
    let choice = "PredicateExpressions.build_Conditional(\(test), \(first.text), \(second.text))"
    // Literals alone do not say their type: that is for the statement around them.
    if case (.known, .known) = (first, second) { return .built(choice) }
    return named(choice)
  }

  /// `if let` as a `flatMap` for each name, the later ones within the earlier ones.
  private func text(binding bindings: ArraySlice<OptionalBindingConditionSyntax>, in node: IfExprSyntax) -> String {
    guard let first = bindings.first else { return value(of: node.body.statements, in: node.body).text }
    guard let name = first.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
      return refuse(.predicateOfConditions, at: first.pattern).text
    }
    let wrapped = text(first.initializer?.value ?? ExprSyntax(DeclReferenceExprSyntax(baseName: name.trimmed)))
    let rest = closure(over: name.text) { inner, _ in .built(inner.text(binding: bindings.dropFirst(), in: node)) }
    return named("PredicateExpressions.build_flatMap(\(wrapped)) \(rest)").text
  }
}
