import SwiftDiagnostics
import SwiftSyntax

extension PredicateBody {
  static let operators: Set = [
    "&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "??", "...", "..<",
  ]

  func value(of node: InfixOperatorExprSyntax) -> PredicateValue {
    let sign = node.operator.trimmedDescription
    let left = value(of: node.leftOperand)
    let right = value(of: node.rightOperand)
    if let connective = connective(sign) {
      return .built("PredicateExpressions.build_\(connective)(lhs: \(left.text), rhs: \(right.text))")
    }
    if sign == "==" || sign == "!=" { return value(equality(left, right, isNegated: sign == "!="), of: node) }
    guard let call = calculation(sign, left.text, right.text) else {
      return refuse(.predicateOperator(sign), at: node.operator, identityRemedies(for: node.operator))
    }
    return value("PredicateExpressions.build_\(call)", of: node)
  }

  func value(of node: PrefixOperatorExprSyntax) -> PredicateValue {
    let operand = text(node.expression)
    switch node.operator.text {
    case "!": return .built("PredicateExpressions.build_Negation(\(operand))")
    case "-": return value("PredicateExpressions.build_UnaryMinus(\(operand))", of: node)
    default: return refuse(.predicateOperator(node.operator.text), at: node.operator)
    }
  }

  private func connective(_ sign: String) -> String? {
    switch sign {
    case "&&": "Conjunction"
    case "||": "Disjunction"
    default: nil
    }
  }

  private func calculation(_ sign: String, _ left: String, _ right: String) -> String? {
    switch sign {
    case "<": "Comparison(lhs: \(left), rhs: \(right), op: .lessThan)"
    case "<=": "Comparison(lhs: \(left), rhs: \(right), op: .lessThanOrEqual)"
    case ">": "Comparison(lhs: \(left), rhs: \(right), op: .greaterThan)"
    case ">=": "Comparison(lhs: \(left), rhs: \(right), op: .greaterThanOrEqual)"
    case "+": "Arithmetic(lhs: \(left), rhs: \(right), op: .add)"
    case "-": "Arithmetic(lhs: \(left), rhs: \(right), op: .subtract)"
    case "*": "Arithmetic(lhs: \(left), rhs: \(right), op: .multiply)"
    case "/": "Division(lhs: \(left), rhs: \(right))"
    case "%": "Remainder(lhs: \(left), rhs: \(right))"
    case "??": "NilCoalesce(lhs: \(left), rhs: \(right))"
    case "...": "ClosedRange(lower: \(left), upper: \(right))"
    case "..<": "Range(lower: \(left), upper: \(right))"
    default: nil
    }
  }

  /// `==` and `!=` go through `_pair`, which lets optional and plain values and captured objects meet.
  private func equality(_ left: PredicateValue, _ right: PredicateValue, isNegated: Bool) -> String {
    let pair: String
    switch (left, right) {
    case (.absent, _), (_, .absent):
      let name = isNegated ? "NotEqual" : "Equal"
      return "PredicateExpressions.build_\(name)(lhs: \(left.text), rhs: \(right.text))"
    case (.known(let known), _): pair = "\(right.text), known: \(known.trimmed)"
    case (_, .known(let known)): pair = "\(left.text), known: \(known.trimmed)"
    case (.built(let left), .built(let right)): pair = "\(left), \(right)"
    }
    return "Tandem::_pair(\(pair)).\(isNegated ? "notEqual" : "equal")"
  }

  private func identityRemedies(for node: ExprSyntax) -> [FixIt] {
    guard let equality = ["===": "==", "!==": "!="][node.trimmedDescription] else { return [] }
    let changed = BinaryOperatorExprSyntax(
      operator: .binaryOperator(equality, leadingTrivia: node.leadingTrivia, trailingTrivia: node.trailingTrivia))
    return [FixIt("use '\(equality)'", replace: node, with: changed)]
  }
}
