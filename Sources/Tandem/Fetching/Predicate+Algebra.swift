public import Foundation

// Predicates made of predicates. A fetch takes them apart again: each part goes to an index, a filter or Swift.

/// Accepts the objects that both predicates accept.
public func && <Model: PersistentModel>(
  left: Predicate<Model>, right: Predicate<Model>
) -> Predicate<Model> {
  Predicate<Model> { model in
    PredicateExpressions.Conjunction(lhs: membership(of: model, in: left), rhs: membership(of: model, in: right))
  }
}

/// Accepts the objects that at least one of the predicates accepts.
public func || <Model: PersistentModel>(
  left: Predicate<Model>, right: Predicate<Model>
) -> Predicate<Model> {
  Predicate<Model> { model in
    PredicateExpressions.Disjunction(lhs: membership(of: model, in: left), rhs: membership(of: model, in: right))
  }
}

/// Accepts the objects that the predicate does not accept. A fetch by either of the two leaves out an object for which
/// the predicate means nothing, such as by a forced unwrap of nil.
public prefix func ! <Model: PersistentModel>(predicate: Predicate<Model>) -> Predicate<Model> {
  Predicate<Model> { PredicateExpressions.Negation(membership(of: $0, in: predicate)) }
}

extension Predicate {
  /// Accepts the objects that all of some predicates accept: every object, if there are none.
  public static func all<Model: PersistentModel>(_ predicates: [Predicate<Model>]) -> Predicate<Model> {
    joined(predicates[...], whenEmpty: .true, &&)
  }

  /// Accepts the objects that at least one of some predicates accepts: no object, if there are none.
  public static func any<Model: PersistentModel>(_ predicates: [Predicate<Model>]) -> Predicate<Model> {
    joined(predicates[...], whenEmpty: .false, ||)
  }

  /// Joins by halves, so that a long list makes no deep tree.
  private static func joined<Model: PersistentModel>(
    _ predicates: ArraySlice<Predicate<Model>>, whenEmpty: Predicate<Model>,
    _ join: (Predicate<Model>, Predicate<Model>) -> Predicate<Model>
  ) -> Predicate<Model> {
    guard predicates.count > 1 else { return predicates.first ?? whenEmpty }
    let half = predicates.startIndex + predicates.count / 2
    return join(
      joined(predicates[..<half], whenEmpty: whenEmpty, join), joined(predicates[half...], whenEmpty: whenEmpty, join))
  }
}

/// Tests whether a model is among those that a predicate accepts.
func membership<Model: PersistentModel>(
  of model: PredicateExpressions.Variable<Model>, in predicate: Predicate<Model>
) -> Membership<Model> {
  Membership(sequence: PredicateExpressions.build_Arg(PredicateMatches(predicate)), element: model)
}

typealias Membership<Model: PersistentModel> = PredicateExpressions.SequenceContains<
  PredicateExpressions.Value<PredicateMatches<Model>>, PredicateExpressions.Variable<Model>
>
