import Foundation
import RecordStore

/// The translation of a predicate with values that are not known yet: a conjunction of comparisons with them and of
/// filters without any.
struct FetchTemplate {
  /// The part of the result that a fetch leaves, and whether it sees unsaved changes.
  struct Window {
    let limit: Int?
    let offset: Int
    let includesPendingChanges: Bool

    init(_ limit: Int?, _ offset: Int?, includesPendingChanges: Bool) {
      self.limit = limit
      self.offset = offset ?? 0
      self.includesPendingChanges = includesPendingChanges
    }

    /// Whether the window leaves any one object.
    var isOfAny: Bool { offset == 0 && limit ?? 1 > 0 }
    var isSound: Bool { offset >= 0 && limit ?? 0 >= 0 }
  }

  private enum Part {
    case filter(RecordFilter)
    case comparison(PredicateOperand, PredicateComparison, parameter: Int)
  }

  let binding: EntityBinding
  private let parts: [Part]
  private let sort: [RecordQuery.SortKey]
  /// The field that a unique index holds alone, where the predicate asks for one value of it.
  private let uniqueOrdinal: Int?

  /// Nil where a part is another, or the store would order otherwise than Swift.
  init?<Model: PersistentModel>(
    _ predicate: ParameterPredicate<Model>, _ sortBy: [SortDescriptor<Model>], _ binding: EntityBinding
  ) {
    guard binding.store.foreign == nil, let sort = SortTranslation.keys(sortBy, in: binding.propertyTable) else {
      return nil
    }
    var translator = PredicateTranslator(
      predicate.model.key, is: .object(PredicateOperand.Object(table: binding.propertyTable)))
    let keys = predicate.parameters.map(\.key)
    func parts(_ expression: any StandardPredicateExpression<Bool>) -> [Part]? {
      if let both = (expression as? any ConjunctionExpression)?.parts {
        guard let left = parts(both.0), let right = parts(both.1) else { return nil }
        return left + right
      }
      if let comparison = (expression as? any ParameterComparison)?.comparison(with: keys, &translator) {
        return [.comparison(comparison.operand, comparison.comparison, parameter: comparison.parameter)]
      }
      return translator.filter(expression).map { [.filter($0)] }
    }
    guard let parts = parts(predicate.expression), !translator.requiresPaths else { return nil }
    self.binding = binding
    self.parts = parts
    self.sort = sort
    uniqueOrdinal = sort.isEmpty ? Self.uniqueOrdinal(parts, binding) : nil
  }

  private static func uniqueOrdinal(_ parts: [Part], _ binding: EntityBinding) -> Int? {
    guard parts.count == 1, case .comparison(.field(let field), let comparison, _) = parts[0],
      comparison.comparison == .equal, field.path.ordinals.count == 1,
      binding.propertyTable.uniqueOrdinals.contains(field.path.ordinals[0])
    else { return nil }
    return field.path.ordinals[0]
  }

  /// The condition with values; nil where one is such that the store could decide otherwise than Swift.
  func condition(_ values: [any Sendable]) -> KnownCondition? {
    var filters: [RecordFilter] = []
    for part in parts {
      switch part {
      case .filter(let filter): filters.append(filter)
      case .comparison(let operand, let comparison, let parameter):
        guard let filter = comparison.filter(operand, .constant(values[parameter])) else { return nil }
        if let uniqueOrdinal, case .compare(_, .equal, let value) = filter, value != .null {
          return .record(ordinal: uniqueOrdinal, value)
        }
        filters.append(filter)
      }
    }
    return .filter(.conjunction(filters))
  }

  func query(_ condition: KnownCondition, _ window: Window) -> RecordQuery {
    var query = binding.wholeQuery
    query.filter = binding.narrowed(condition.filter)
    query.sort = sort
    query.limit = window.limit
    query.offset = window.offset
    return query
  }
}

/// A comparison of which one side may be a value that is not known yet.
protocol ParameterComparison {
  func comparison(
    with parameters: [PredicateExpressions.VariableID], _ translator: inout PredicateTranslator
  ) -> (operand: PredicateOperand, comparison: PredicateComparison, parameter: Int)?
}

extension PredicateTranslator {
  fileprivate mutating func comparison<Left: PredicateExpression, Right: PredicateExpression>(
    _ left: Left, _ comparison: RecordFilter.Comparison, _ right: Right,
    with parameters: [PredicateExpressions.VariableID]
  ) -> (operand: PredicateOperand, comparison: PredicateComparison, parameter: Int)? {
    func parameter(_ expression: some PredicateExpression) -> Int? {
      (expression as? any PredicateParameter).flatMap { parameters.firstIndex(of: $0.key) }
    }
    if let place = parameter(right), let operand = operand(left) {
      return (operand, PredicateComparison(comparison), place)
    }
    if let place = parameter(left), let operand = operand(right) {
      return (operand, PredicateComparison(comparison.mirrored), place)
    }
    return nil
  }
}

extension PredicateExpressions.Equal: ParameterComparison {
  func comparison(
    with parameters: [PredicateExpressions.VariableID], _ translator: inout PredicateTranslator
  ) -> (operand: PredicateOperand, comparison: PredicateComparison, parameter: Int)? {
    translator.comparison(lhs, .equal, rhs, with: parameters)
  }
}

extension PredicateExpressions.NotEqual: ParameterComparison {
  func comparison(
    with parameters: [PredicateExpressions.VariableID], _ translator: inout PredicateTranslator
  ) -> (operand: PredicateOperand, comparison: PredicateComparison, parameter: Int)? {
    translator.comparison(lhs, .notEqual, rhs, with: parameters)
  }
}

extension PredicateExpressions.Comparison: ParameterComparison {
  func comparison(
    with parameters: [PredicateExpressions.VariableID], _ translator: inout PredicateTranslator
  ) -> (operand: PredicateOperand, comparison: PredicateComparison, parameter: Int)? {
    comparison.flatMap { translator.comparison(lhs, $0, rhs, with: parameters) }
  }
}
