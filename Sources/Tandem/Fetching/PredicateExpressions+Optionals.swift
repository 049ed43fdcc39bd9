import Foundation
import RecordStore

extension PredicateExpressions.OptionalFlatMap: OperandExpression {
  func operand(_ translator: inout PredicateTranslator) -> PredicateOperand? {
    translator.operand(wrapped).flatMap { mapped($0, &translator) }
  }

  private func mapped(_ wrapped: PredicateOperand, _ translator: inout PredicateTranslator) -> PredicateOperand? {
    if case .guarded(let test, let passed) = wrapped {
      let result =
        passed.optionalPath == nil
        ? translator.binding(variable.key, to: passed) { $0.transformed(transform) } : mapped(passed, &translator)
      return result.map { .guarded(test, $0) }
    }
    guard let path = wrapped.optionalPath else {
      // A to-many relationship is never nil, whatever its type says.
      guard case .related = wrapped else { return nil }
      return translator.binding(variable.key, to: wrapped) { $0.transformed(transform) }
    }
    return translator.binding(variable.key, to: wrapped.presumed) { $0.transformed(transform) }?.unless(nil: path)
  }
}

extension PredicateTranslator {
  /// A closure's result: a condition where it is one, else what it stands for.
  fileprivate mutating func transformed<Result>(_ transform: some PredicateExpression<Result>) -> PredicateOperand? {
    if let condition = transform as? any FilterExpression, let filter = condition.filter(&self) {
      return .condition(filter)
    }
    return operand(transform)
  }
}

extension PredicateExpressions.NilCoalesce: OperandExpression {
  func operand(_ translator: inout PredicateTranslator) -> PredicateOperand? {
    guard let wrapped = translator.operand(lhs) else { return nil }
    switch wrapped {
    case .field(let field):
      guard case .constant(let value) = translator.conditionally({ $0.operand(rhs) }) else { return nil }
      return .coalesced(field, value)
    case .optionalCondition(let path, let filter):
      guard let otherwise = translator.conditionally({ $0.operand(rhs)?.filter }) else { return nil }
      return .condition(filter.orElse(otherwise, whenNil: path))
    case .guarded(let test, let passed):
      guard let filter = passed.filter, let otherwise = translator.conditionally({ $0.operand(rhs)?.filter }) else {
        return nil
      }
      return .condition(
        .disjunction([.conjunction([test, filter]), .conjunction([.negation(test), otherwise])]))
    case .related, .relatedCount, .condition: return wrapped
    default: return nil
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: OperandExpression {
  func operand(_ translator: inout PredicateTranslator) -> PredicateOperand? {
    guard let wrapped = translator.operand(inner) else { return nil }
    guard let path = wrapped.optionalPath else { return wrapped.optionalPath == nil ? wrapped.neverNil : nil }
    return translator.require(path) ? wrapped.presumed : nil
  }
}

extension PredicateOperand {
  /// The path that says whether there is a value; nil for what is there always or can not be asked.
  fileprivate var optionalPath: FieldPath? {
    switch self {
    case .field(let field) where field.isOptional: field.path
    case .object(let object) where object.isOptional: object.path
    default: nil
    }
  }

  /// The operand where it is known not to be nil.
  fileprivate var presumed: PredicateOperand {
    switch self {
    case .field(var field):
      field.isOptional = false
      return .field(field)
    case .object(var object):
      object.isOptional = false
      return .object(object)
    default: return self
    }
  }

  /// Itself, if a value of its kind is never nil.
  fileprivate var neverNil: PredicateOperand? {
    if case .related = self { return self }
    return nil
  }

  /// The operand where `path` is not nil, else nil.
  fileprivate func unless(nil path: FieldPath) -> PredicateOperand? {
    switch self {
    case .field(var field) where field.path.hasPrefix(path):
      field.isOptional = true
      return .field(field)
    case .object(var object) where object.path.hasPrefix(path):
      object.isOptional = true
      return .object(object)
    case .identifier(var object) where object.path.hasPrefix(path):
      object.isOptional = true
      return .identifier(object)
    case .condition(let filter): return .optionalCondition(path: path, filter)
    default: return nil
    }
  }
}

extension RecordFilter {
  /// Itself where `path` is not nil, else another.
  fileprivate func orElse(_ other: RecordFilter, whenNil path: FieldPath) -> RecordFilter {
    let present =
      isFalse(whenNil: path) ? self : .conjunction([.compare(path, .notEqual, .null), self])
    return .disjunction([present, .conjunction([.compare(path, .equal, .null), other])])
  }
}
