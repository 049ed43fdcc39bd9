import Foundation
import RecordStore

// Casts between the classes of a hierarchy.

extension PredicateOperand.Object {
  /// The condition that the object is of a class, and what the class's properties are; nil for a class that the store
  /// does not tell apart.
  fileprivate func test(_ type: any Any.Type) -> (filter: RecordFilter, table: PropertyTable)? {
    guard let family = table.family, let binding = family.binding(of: type) else { return nil }
    // The objects are all of the relationship's class or below it, or none of them is.
    guard !table.description.isKind(of: binding.description) else { return nil }
    return (family.filter(binding, at: path), binding.propertyTable)
  }
}

extension PredicateExpressions.TypeCheck: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard case .object(let object) = translator.operand(input) else { return nil }
    return object.test(Desired.self)?.filter
  }
}

extension PredicateExpressions.ConditionalCast: OperandExpression {
  func operand(_ translator: inout PredicateTranslator) -> PredicateOperand? {
    // A plain value beside an optional one: the cast cannot fail.
    if Input.Output.self == Desired.self { return translator.operand(input) }
    guard case .object(let object) = translator.operand(input), let test = object.test(Desired.self) else { return nil }
    // An object that passes the test is there.
    return .guarded(test.filter, .object(PredicateOperand.Object(table: test.table, path: object.path)))
  }
}

extension PredicateComparison {
  /// `(a as? B)?.c < value`
  func filter(_ test: RecordFilter, _ operand: PredicateOperand, _ value: Any) -> RecordFilter? {
    guard let whenPassed = filter(operand, .constant(value)) else { return nil }
    // Where the test fails there is nil, which equals nil and differs from everything else.
    let isTrueForNil = comparison == (isNil(value) ? .equal : .notEqual)
    return isTrueForNil
      ? .disjunction([.negation(test), whenPassed]) : .conjunction([test, whenPassed])
  }
}
