public import Foundation

#if !canImport(Darwin)
  /// Part of the expansion of `#Predicate`: `predicate.evaluate(object)` in its body.
  public func _evaluate<Model: PersistentModel, Object: StandardPredicateExpression<Model>>(
    _ predicate: Predicate<Model>, _ object: Object
  ) -> PredicateExpressions.SequenceContains<PredicateExpressions.Value<PredicateMatches<Model>>, Object> {
    PredicateExpressions.build_contains(PredicateExpressions.build_Arg(PredicateMatches(predicate)), object)
  }

  /// Part of the expansion of `#Predicate`: `expression.evaluate(value)` in its body.
  public func _evaluate<Input, Output, Argument: StandardPredicateExpression<Input>>(
    _ expression: Expression<Input, Output>, _ argument: Argument
  ) -> PredicateExpressions.ExpressionEvaluate<_AskedExpression<Input, Output>, Argument, Output> {
    PredicateExpressions.build_evaluate(_AskedExpression(expression: expression), argument)
  }

  /// An expression as a part of a predicate.
  public struct _AskedExpression<Input, Output>: StandardPredicateExpression, CheckedExpression {
    let expression: Expression<Input, Output>

    /// Part of the expansion of `#Predicate`: the expression, whatever the variables are bound to.
    public func evaluate(_ bindings: PredicateBindings) -> Expression<Input, Output> { expression }
  }

  extension _AskedExpression: CustomStringConvertible {
    /// The expression's text.
    public var description: String { "\(expression)" }
  }

  /// Predicates keep only `Codable` values. On Linux an expression itself is not, so this refuses.
  extension _AskedExpression: Codable {
    /// Refuses.
    /// - Throws: `DecodingError`, always.
    public init(from decoder: any Decoder) throws {
      throw MadeInCode.refusal(of: "An expression", decoder)
    }

    /// Refuses.
    /// - Throws: `EncodingError`, always.
    public func encode(to encoder: any Encoder) throws {
      throw MadeInCode.refusal(of: "An expression", self, encoder)
    }
  }
#endif
