import Foundation
import RecordStore

/// A predicate with values that are not known yet.
struct ParameterPredicate<Model: PersistentModel>: Sendable {
  let model: PredicateExpressions.Variable<Model>
  /// One a value.
  let parameters: [any PredicateParameter]
  let expression: any StandardPredicateExpression<Bool>

  /// `predicate`: of the model first, then of the values.
  init<each Input>(_ predicate: Predicate<repeat each Input>) {
    // A tuple whose length is a type parameter has no names for its parts.
    let variables = Mirror(reflecting: predicate.variable).children.map(\.value)
    guard let model = variables.first as? PredicateExpressions.Variable<Model> else {
      preconditionFailure("A predicate's first variable is the object that it tests.")
    }
    self.model = model
    parameters = variables.dropFirst().compactMap { $0 as? any PredicateParameter }
    expression = predicate.expression
  }

  /// The predicate with values: one of the object alone. Its parts stay parts, for each goes its own way in a fetch.
  func bound(to values: [any Sendable]) -> Predicate<Model> {
    Predicate<Model> { object in
      func join(_ part: any StandardPredicateExpression<Bool>) -> any StandardPredicateExpression<Bool> {
        guard let both = (part as? any ConjunctionExpression)?.parts else {
          return BoundCondition(object: object, predicate: self, values: values, condition: part)
        }
        return conjunction(join(both.0), join(both.1))
      }
      return join(expression)
    }
  }

  private func conjunction<Left: StandardPredicateExpression<Bool>, Right: StandardPredicateExpression<Bool>>(
    _ left: Left, _ right: Right
  ) -> any StandardPredicateExpression<Bool> {
    PredicateExpressions.Conjunction(lhs: left, rhs: right)
  }
}

/// A variable of whatever type that stands for a value.
protocol PredicateParameter: Sendable {
  var key: PredicateExpressions.VariableID { get }
  func bind(_ value: any Sendable, in bindings: inout PredicateBindings)
}

extension PredicateExpressions.Variable: PredicateParameter {
  func bind(_ value: any Sendable, in bindings: inout PredicateBindings) {
    if let value = value as? Output { bindings[self] = value }
  }
}

/// A part of a predicate with values, as one of another predicate's, of the object alone.
struct BoundCondition<Model: PersistentModel>: StandardPredicateExpression {
  typealias Output = Bool

  let object: PredicateExpressions.Variable<Model>
  let predicate: ParameterPredicate<Model>
  let values: [any Sendable]
  let condition: any StandardPredicateExpression<Bool>

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    var inner = PredicateBindings((predicate.model, try object.evaluate(bindings)))
    for (parameter, value) in zip(predicate.parameters, values) { parameter.bind(value, in: &inner) }
    guard let checked = condition as? any CheckedExpression<Bool> else { return try condition.evaluate(inner) }
    return try checked.checked(inner)
  }
}

extension BoundCondition: CheckedExpression {}

extension BoundCondition: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard let operand = translator.operand(of: object.key) else { return nil }
    let constants = zip(predicate.parameters, values).map { ($0.key, PredicateOperand.constant($1)) }
    return translator.with([(predicate.model.key, operand)] + constants) { $0.filter(condition) }
  }
}

/// Refuses, as the values of a predicate with parts that are made in code.
extension BoundCondition {
  init(from decoder: any Decoder) throws { throw MadeInCode.refusal(of: "A prepared fetch", decoder) }

  func encode(to encoder: any Encoder) throws {
    throw MadeInCode.refusal(of: "A prepared fetch", predicate.expression, encoder)
  }
}
