public import Foundation

// The functions that the expansion of `#Predicate` calls where Foundation's builder takes too little.

/// Part of the expansion of `#Predicate`: two sides of one type, for `==` and `!=`.
///
/// Foundation's builder takes sides of one type only. The functions that make a pair take an optional beside a plain
/// side, too, and compare objects that are known by their identifiers, because a predicate keeps only values.
///
/// These functions are inlined where the predicate is: else each call would look for the types of its expressions anew.
@frozen
public struct _PredicatePair<Left: StandardPredicateExpression, Right: StandardPredicateExpression>
where Left.Output == Right.Output, Left.Output: Equatable {
  @usableFromInline let left: Left
  @usableFromInline let right: Right

  @inlinable
  init(left: Left, right: Right) {
    self.left = left
    self.right = right
  }

  /// Part of the expansion of `#Predicate`: whether the sides are equal.
  @inlinable public var equal: PredicateExpressions.Equal<Left, Right> {
    PredicateExpressions.Equal(lhs: left, rhs: right)
  }
  /// Part of the expansion of `#Predicate`: whether the sides differ.
  @inlinable public var notEqual: PredicateExpressions.NotEqual<Left, Right> {
    PredicateExpressions.NotEqual(lhs: left, rhs: right)
  }
}

/// Part of the expansion of `#Predicate`: a plain side beside an optional one.
public typealias _PredicateOptional<Side: StandardPredicateExpression> =
  PredicateExpressions.ConditionalCast<Side, Side.Output>
/// Part of the expansion of `#Predicate`: the identifier of an object.
public typealias _PredicateIdentifier<Side: StandardPredicateExpression> =
  PredicateExpressions.KeyPath<Side, PersistentIdentifier>

// MARK: Two sides that are built

/// Part of the expansion of `#Predicate`: two sides of one type.
@inlinable
public func _pair<Left, Right>(_ left: Left, _ right: Right) -> _PredicatePair<Left, Right>
where Left.Output == Right.Output { _PredicatePair(left: left, right: right) }

/// Part of the expansion of `#Predicate`: an optional side and a plain one.
@inlinable
public func _pair<Left, Right>(_ left: Left, _ right: Right) -> _PredicatePair<Left, _PredicateOptional<Right>>
where Left.Output == Right.Output? { _PredicatePair(left: left, right: .init(right)) }

/// Part of the expansion of `#Predicate`: a plain side and an optional one.
@inlinable
public func _pair<Left, Right>(_ left: Left, _ right: Right) -> _PredicatePair<_PredicateOptional<Left>, Right>
where Left.Output? == Right.Output { _PredicatePair(left: .init(left), right: right) }

// MARK: Values that are known

/// Part of the expansion of `#Predicate`: a side and a value.
@inlinable
public func _pair<Left>(
  _ left: Left, known: Left.Output
) -> _PredicatePair<Left, PredicateExpressions.Value<Left.Output>> {
  _PredicatePair(left: left, right: .init(known))
}

/// Part of the expansion of `#Predicate`: a plain side and an optional value.
@inlinable
public func _pair<Left>(
  _ left: Left, known: Left.Output?
) -> _PredicatePair<_PredicateOptional<Left>, PredicateExpressions.Value<Left.Output?>> {
  _PredicatePair(left: .init(left), right: .init(known))
}

// MARK: Objects that are known

/// Part of the expansion of `#Predicate`: an object and one that is known.
@inlinable
public func _pair<Left, Model: PersistentModel>(
  _ left: Left, known: Model
) -> _PredicatePair<_PredicateIdentifier<Left>, PredicateExpressions.Value<PersistentIdentifier>>
where Left.Output == Model {
  _PredicatePair(left: .init(root: left, keyPath: \.persistentModelID), right: .init(known.persistentModelID))
}

/// Part of the expansion of `#Predicate`: an object and one that may be known.
@inlinable
public func _pair<Left, Model: PersistentModel>(
  _ left: Left, known: Model?
) -> _PredicatePair<
  _PredicateOptional<_PredicateIdentifier<Left>>, PredicateExpressions.Value<PersistentIdentifier?>
> where Left.Output == Model {
  let identifier = _PredicateIdentifier(root: left, keyPath: \.persistentModelID)
  return _PredicatePair(left: .init(identifier), right: .init(known?.persistentModelID))
}

/// Part of the expansion of `#Predicate`: a related object, or none, and one that may be known.
@inlinable
public func _pair<Left, Model: PersistentModel>(
  _ left: Left, known: Model?
) -> _PredicatePair<
  PredicateExpressions.OptionalFlatMap<
    Left, Model, _PredicateIdentifier<PredicateExpressions.Variable<Model>>, PersistentIdentifier
  >,
  PredicateExpressions.Value<PersistentIdentifier?>
> where Left.Output == Model? {
  let identifier = PredicateExpressions.build_flatMap(left) { object in
    PredicateExpressions.build_KeyPath(root: object, keyPath: \.persistentModelID)
  }
  return _PredicatePair(left: identifier, right: .init(known?.persistentModelID))
}

extension PredicateExpressions {
  /// Part of the expansion of `#Predicate`: whether related objects contain one that is known.
  public static func build_contains<Objects: StandardPredicateExpression, Model: PersistentModel>(
    _ objects: Objects, _ known: Value<Model>
  ) -> some StandardPredicateExpression<Bool> where Objects.Output: Sequence<Model> {
    build_contains(objects) { _pair($0, known: known.value).equal }
  }

  /// Part of the expansion of `#Predicate`: whether objects that are known contain the one that is tested.
  public static func build_contains<Models: Collection, Object: StandardPredicateExpression>(
    _ known: Value<Models>, _ object: Object
  ) -> some StandardPredicateExpression<Bool> where Models.Element == Object.Output, Object.Output: PersistentModel {
    build_contains(
      build_Arg(known.value.map(\.persistentModelID)), build_KeyPath(root: object, keyPath: \.persistentModelID))
  }
}
