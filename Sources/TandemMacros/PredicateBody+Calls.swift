import SwiftDiagnostics
import SwiftSyntax

extension PredicateBody {
  /// The calls that predicates know, by name and labels.
  private static let functions: Set<String> = [
    "contains(_:)", "starts(with:)", "min()", "max()", "localizedStandardContains(_:)", "localizedCompare(_:)",
    "caseInsensitiveCompare(_:)", "contains(where:)", "allSatisfy(_:)", "filter(_:)", "flatMap(_:)", "subscript(_:)",
    "subscript(_:default:)",
  ]

  /// The calls that do the same, or that people mean, by those that predicates do not know.
  private static let suggestions = [
    "hasPrefix(_:)": "starts(with:)", "localizedCaseInsensitiveContains(_:)": "localizedStandardContains(_:)",
    "localizedCaseInsensitiveCompare(_:)": "caseInsensitiveCompare(_:)",
    "localizedStandardCompare(_:)": "localizedCompare(_:)", "first(where:)": "contains(where:)",
  ]

  func value(of call: FunctionCallExprSyntax) -> PredicateValue {
    guard let member = call.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base else {
      return refuse(.predicateFunction(call.calledExpression.trimmedDescription), at: call.calledExpression)
    }
    let name = member.declName.baseName.text
    if name == "evaluate" { return evaluation(of: base, call) }
    let signature = "\(name)(\(call.labels(of: name).map { "\($0):" }.joined()))"
    guard Self.functions.contains(signature) else {
      return refuse(.predicateFunction(signature), at: member.declName, remedies(for: signature, call, member))
    }
    return value(of: name, on: base, call.arguments, call.trailingClosure)
  }

  func value(of call: SubscriptCallExprSyntax) -> PredicateValue {
    let signature = "subscript(\(call.arguments.map { "\($0.label?.text ?? "_"):" }.joined()))"
    guard Self.functions.contains(signature), call.trailingClosure == nil else {
      return refuse(.predicateFunction(signature), at: call.leftSquare)
    }
    return value(of: "subscript", on: call.calledExpression, call.arguments, nil)
  }

  private func value(
    of name: String, on base: ExprSyntax, _ arguments: LabeledExprListSyntax, _ trailing: ClosureExprSyntax?
  ) -> PredicateValue {
    let rest = arguments.map { argument in
      (argument.label.map { "\($0.text): " } ?? "") + self.argument(argument.expression)
    }
    let list = ([text(base)] + rest).joined(separator: ", ")
    let closure = trailing.map { " \(self.closure($0))" } ?? ""
    return named("PredicateExpressions.build_\(name)(\(list))\(closure)")
  }

  private func argument(_ node: ExprSyntax) -> String {
    if let closure = node.as(ClosureExprSyntax.self) { return self.closure(closure) }
    if let path = node.as(KeyPathExprSyntax.self) { return closure(path) }
    return text(node)
  }

  /// A key path where a closure is asked for: `tasks.filter(\.isDone)`.
  private func closure(_ path: KeyPathExprSyntax) -> String {
    closure { inner, input in
      path.components.reduce(.built(input)) { root, item in
        guard let property = item.component.as(KeyPathPropertyComponentSyntax.self) else {
          return inner.refuse(.predicateOf, at: item)
        }
        return .path(from: root.text, to: property.declName.trimmedDescription)
      }
    }
  }

  /// `other.evaluate(object)`, of a predicate or an expression that is known.
  private func evaluation(of subject: ExprSyntax, _ call: FunctionCallExprSyntax) -> PredicateValue {
    guard let argument = call.arguments.first, call.arguments.count == 1, argument.label == nil,
      call.trailingClosure == nil
    else { return refuse(.predicateFunction("evaluate"), at: call.calledExpression) }
    if let name = input(in: subject) { return refuse(.evaluatedInput(name), at: subject) }
    return named("Tandem::_evaluate(\(subject.trimmed), \(text(argument.expression)))")
  }

  private func remedies(
    for signature: String, _ call: FunctionCallExprSyntax, _ member: MemberAccessExprSyntax
  ) -> [FixIt] {
    guard let suggestion = Self.suggestions[signature], let end = suggestion.firstIndex(of: "(") else { return [] }
    var changed = call
    changed.calledExpression = ExprSyntax(
      member.with(\.declName, DeclReferenceExprSyntax(baseName: .identifier(String(suggestion[..<end])))))
    let label = suggestion[end...].dropFirst().prefix { $0 != ":" }
    if var argument = changed.arguments.first {
      argument.label = label == "_" ? nil : .identifier(String(label))
      argument.colon = label == "_" ? nil : .colonToken(trailingTrivia: .space)
      changed.arguments[changed.arguments.startIndex] = argument
    }
    return [FixIt("use '\(suggestion)'", replace: call, with: changed)]
  }
}

extension FunctionCallExprSyntax {
  /// The labels of all arguments. A closure after the parentheses has none: the name of the call tells it.
  fileprivate func labels(of name: String) -> [String] {
    let labels = arguments.map { $0.label?.text ?? "_" }
    return trailingClosure == nil ? labels : labels + [name == "contains" || name == "first" ? "where" : "_"]
  }
}
