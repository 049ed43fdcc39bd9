import Foundation
import RecordStore

extension PredicateExpressions.SequenceContains: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard let sequence = translator.operand(sequence), let element = translator.operand(element) else { return nil }
    switch (sequence, element) {
    case (.constant(let matches as any AnyPredicateMatches), .object):
      return translator.binding(matches.variable, to: element) { $0.filter(matches.expression) }
    case (.constant(let values), _): return element.filter(isOneOf: values)
    case (.related(let name, _, let filter), .constant(let value)):
      guard let model = unwrapped(value) as? any PersistentModel else { return nil }
      return .anyRelated(relationship: name, .conjunction([filter, .ids([model._$storage.recordID])]))
    default: return nil
    }
  }
}

extension PredicateExpressions.SequenceContains: MembershipExpression {
  func membership(
    _ translator: inout PredicateTranslator
  ) -> (matches: any AnyPredicateMatches, element: PredicateOperand)? {
    guard LHS.Output.self is any AnyPredicateMatches.Type,
      case .constant(let matches as any AnyPredicateMatches) = translator.operand(sequence),
      let element = translator.operand(element), case .object = element
    else { return nil }
    return (matches, element)
  }
}

extension PredicateOperand {
  fileprivate func filter(isOneOf values: Any) -> RecordFilter? {
    if let range = values as? any BoundedRange { return range.bounds.filter(self) }
    guard let values = values as? any Sequence else { return nil }
    if case .field(let field) = self, let plain = field.plainValues(of: values) {
      return plain.isEmpty ? RecordFilter.none : .oneOf(field.path, plain)
    }
    var plain: [FieldValue] = []
    var parts: [RecordFilter] = []
    var ids: Set<RecordID> = []
    for value in values {
      // The same rules as for one value: what it says there, it says here for all.
      guard let part = PredicateComparison(.equal).filter(self, .constant(value)) else { return nil }
      switch part {
      case .none: break
      case .compare(_, .equal, let value) where value != .null: plain.append(value)
      case .ids(let some): ids.formUnion(some)
      default: parts.append(part)
      }
    }
    if !ids.isEmpty { parts.append(.ids(ids)) }
    if let path = fieldPath, !plain.isEmpty { parts.append(.oneOf(path, plain)) }
    return .disjunction(parts)
  }

  private var fieldPath: FieldPath? {
    switch self {
    case .field(let field), .coalesced(let field, _): field.path
    case .object(let object), .identifier(let object): object.path
    default: nil
    }
  }
}

extension PredicateExpressions.SequenceContainsWhere: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard case .related(let name, let table, let filter) = translator.operand(sequence),
      let test = translator.filter(test, ofEach: variable.key, in: table)
    else { return nil }
    return .anyRelated(relationship: name, .conjunction([filter, test]))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard case .related(let name, let table, let filter) = translator.operand(sequence),
      let test = translator.filter(test, ofEach: variable.key, in: table)
    else { return nil }
    return .allRelated(relationship: name, .disjunction([.negation(filter), test]))
  }
}

extension PredicateExpressions.Filter: OperandExpression {
  func operand(_ translator: inout PredicateTranslator) -> PredicateOperand? {
    guard case .related(let name, let table, let outer) = translator.operand(sequence),
      let inner = translator.filter(filter, ofEach: variable.key, in: table)
    else { return nil }
    return .related(name, table, .conjunction([outer, inner]))
  }
}
