public import Foundation

// Predicates made of predicates. A fetch takes them apart again: each part goes to an index, a filter or Swift.

/// What both predicates accept.
public func && <Model: PersistentModel>(
  left: Predicate<Model>, right: Predicate<Model>
) -> Predicate<Model> {
  Predicate<Model> { model in
    PredicateExpressions.Conjunction(lhs: membership(of: model, in: left), rhs: membership(of: model, in: right))
  }
}

/// What at least one of the predicates accepts.
public func || <Model: PersistentModel>(
  left: Predicate<Model>, right: Predicate<Model>
) -> Predicate<Model> {
  Predicate<Model> { model in
    PredicateExpressions.Disjunction(lhs: membership(of: model, in: left), rhs: membership(of: model, in: right))
  }
}

/// What the predicate does not accept. An object that it means nothing for, such as by a forced unwrap of nil, a fetch
/// finds by neither of the two.
public prefix func ! <Model: PersistentModel>(predicate: Predicate<Model>) -> Predicate<Model> {
  Predicate<Model> { PredicateExpressions.Negation(membership(of: $0, in: predicate)) }
}

extension Predicate {
  /// What all of some predicates accept: every object, if there are none.
  public static func all<Model: PersistentModel>(_ predicates: [Predicate<Model>]) -> Predicate<Model> {
    joined(predicates[...], whenEmpty: .true, &&)
  }

  /// What at least one of some predicates accepts: no object, if there are none.
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

/// That a model is among those that a predicate accepts.
func membership<Model: PersistentModel>(
  of model: PredicateExpressions.Variable<Model>, in predicate: Predicate<Model>
) -> Membership<Model> {
  Membership(sequence: PredicateExpressions.build_Arg(PredicateMatches(predicate)), element: model)
}

typealias Membership<Model: PersistentModel> = PredicateExpressions.SequenceContains<
  PredicateExpressions.Value<PredicateMatches<Model>>, PredicateExpressions.Variable<Model>
>
