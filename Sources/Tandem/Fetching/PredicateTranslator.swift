import Foundation
import RecordStore

/// Goes through a predicate's expression tree from the root, with what each variable stands for.
struct PredicateTranslator {
  /// The innermost last. Seldom more than one, so a list is searched faster than a dictionary.
  private var bindings: [(variable: PredicateExpressions.VariableID, operand: PredicateOperand)]
  /// The paths that must not be nil, or the part as a whole throws.
  private var required: [FieldPath] = []
  /// Whether Swift may pass the expression by, so that it may not be the one that throws.
  private var isConditional = false

  init(_ variable: PredicateExpressions.VariableID, is operand: PredicateOperand) {
    bindings = [(variable, operand)]
  }

  /// The parts of a conjunction: those that the store decides, and the rest.
  mutating func split(
    _ expression: any StandardPredicateExpression<Bool>, into filters: inout [RecordFilter],
    _ rest: inout [any StandardPredicateExpression<Bool>]
  ) {
    if let conjunction = expression as? any ConjunctionExpression {
      let (left, right) = conjunction.parts
      split(left, into: &filters, &rest)
      return split(right, into: &filters, &rest)
    }
    if let isDecided = splitMembership(expression, into: &filters) {
      return isDecided ? () : rest.append(expression)
    }
    required = []
    guard let filter = filter(expression) else { return rest.append(expression) }
    filters += required.filter { !filter.isFalse(whenNil: $0) }.map { .compare($0, .notEqual, .null) } + [filter]
  }

  /// Takes what the store can decide out of a predicate that this one refers to. True if that is all of it, else the
  /// expression as a whole has to be decided still; nil if it refers to none.
  private mutating func splitMembership(
    _ expression: any StandardPredicateExpression<Bool>, into filters: inout [RecordFilter]
  ) -> Bool? {
    guard let (matches, element) = (expression as? any MembershipExpression)?.membership(&self) else { return nil }
    var inner = PredicateTranslator(matches.variable, is: element)
    var parts: [RecordFilter] = []
    var rest: [any StandardPredicateExpression<Bool>] = []
    inner.split(matches.expression, into: &parts, &rest)
    filters += parts
    return rest.isEmpty
  }

  /// The filter that accepts what the expression is true for.
  mutating func filter(_ expression: some PredicateExpression<Bool>) -> RecordFilter? {
    if let condition = expression as? any FilterExpression, let filter = condition.filter(&self) { return filter }
    return operand(expression)?.filter
  }

  /// The meaning of an expression.
  mutating func operand<Output>(_ expression: some PredicateExpression<Output>) -> PredicateOperand? {
    if let expression = expression as? any OperandExpression, let operand = expression.operand(&self) {
      return operand
    }
    return constant(expression)
  }

  /// The value of an expression that no variable occurs in, or none that matters.
  private func constant(_ expression: some PredicateExpression) -> PredicateOperand? {
    do {
      return .constant(try expression.checkedValue(PredicateBindings()))
    } catch {
      // A variable without a value: this is how an expression says that it is none of ours.
      return nil
    }
  }

  func operand(of variable: PredicateExpressions.VariableID) -> PredicateOperand? {
    bindings.last { $0.variable == variable }?.operand
  }

  /// Works on an expression that Swift evaluates only under a condition.
  mutating func conditionally<Result>(_ body: (inout Self) -> Result?) -> Result? {
    let before = isConditional
    isConditional = true
    defer { isConditional = before }
    return body(&self)
  }

  /// Works with a further variable.
  mutating func binding<Result>(
    _ variable: PredicateExpressions.VariableID, to operand: PredicateOperand, _ body: (inout Self) -> Result?
  ) -> Result? {
    bindings.append((variable, operand))
    defer { bindings.removeLast() }
    return conditionally(body)
  }

  /// Works with further variables.
  mutating func with<Result>(
    _ variables: [(PredicateExpressions.VariableID, PredicateOperand)], _ body: (inout Self) -> Result?
  ) -> Result? {
    bindings += variables
    defer { bindings.removeLast(variables.count) }
    return body(&self)
  }

  /// Whether a path must not be nil so far, or the part as a whole throws.
  var requiresPaths: Bool { !required.isEmpty }

  /// The filter that a closure over related objects stands for. It sees no variable but its own, as the
  /// store tests related records by themselves.
  func filter<Test: PredicateExpression>(
    _ test: Test, ofEach variable: PredicateExpressions.VariableID, in table: PropertyTable
  ) -> RecordFilter? where Test.Output == Bool {
    var inner = PredicateTranslator(variable, is: .object(PredicateOperand.Object(table: table)))
    inner.isConditional = true
    return inner.filter(test)
  }

  /// Notes that nil makes the expression throw; false where that can not be said of the part as a whole.
  mutating func require(_ path: FieldPath) -> Bool {
    guard !isConditional else { return false }
    required.append(path)
    return true
  }
}

/// An expression of which the store can decide whether it is true.
protocol FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter?
}

/// An expression that can stand on a side of a comparison.
protocol OperandExpression {
  func operand(_ translator: inout PredicateTranslator) -> PredicateOperand?
}

protocol ConjunctionExpression {
  var parts: (any StandardPredicateExpression<Bool>, any StandardPredicateExpression<Bool>) { get }
}

/// An expression that may ask the matches of another predicate.
protocol MembershipExpression {
  func membership(
    _ translator: inout PredicateTranslator
  ) -> (matches: any AnyPredicateMatches, element: PredicateOperand)?
}
