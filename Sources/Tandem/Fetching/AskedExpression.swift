public import Foundation

#if !canImport(Darwin)
  /// Part of the expansion of `#Predicate`: what `evaluate` is called on in its body, made outside of it.
  public func _asked<Model: PersistentModel>(_ predicate: Predicate<Model>) -> PredicateMatches<Model> {
    PredicateMatches(predicate)
  }

  /// Part of the expansion of `#Predicate`: what `evaluate` is called on in its body, made outside of it.
  public func _asked<Input, Output>(_ expression: Expression<Input, Output>) -> _AskedExpression<Input, Output> {
    _AskedExpression(expression: expression)
  }

  /// An expression as a part of a predicate. The body says `contains`, the one question with an argument of any type
  /// that Foundation's macro passes on outside of Apple's systems, and gets the expression's value.
  public struct _AskedExpression<Input, Output>: StandardPredicateExpression, CheckedExpression {
    let expression: Expression<Input, Output>

    public func contains(_ input: Input) throws -> Output { try expression.evaluate(input) }

    public func evaluate(_ bindings: PredicateBindings) -> Expression<Input, Output> { expression }
  }

  extension PredicateExpressions {
    /// Part of the expansion of `#Predicate`: `expression.evaluate(argument)`.
    public static func build_contains<Argument: PredicateExpression, Output>(
      _ asked: Value<_AskedExpression<Argument.Output, Output>>, _ argument: Argument
    ) -> ExpressionEvaluate<_AskedExpression<Argument.Output, Output>, Argument, Output> {
      build_evaluate(asked.value, argument)
    }
  }

  extension _AskedExpression: CustomStringConvertible {
    public var description: String { "\(expression)" }
  }

  /// Predicates keep only `Codable` values. On Linux an expression itself is not, so this refuses.
  extension _AskedExpression: Codable {
    public init(from decoder: any Decoder) throws {
      throw MadeInCode.refusal(of: "An expression", decoder)
    }

    public func encode(to encoder: any Encoder) throws {
      throw MadeInCode.refusal(of: "An expression", self, encoder)
    }
  }
#endif
