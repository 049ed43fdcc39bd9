public import Foundation

#if !canImport(Darwin)
  // `#Predicate` accepts these calls on every platform; Foundation has the expressions behind them only on Apple's.
  // They are put together from expressions that it has everywhere.

  extension PredicateExpressions {
    /// `base.localizedStandardContains(other)`: case and accents ignored, as people search.
    public typealias StringLocalizedStandardContains<Base: PredicateExpression, Other: PredicateExpression> =
      CollectionContainsCollection<KeyPath<Base, [UInt8]>, KeyPath<Other, [UInt8]>>
    where Base.Output: StringProtocol, Other.Output: StringProtocol

    /// The `ComparisonResult` of two keys.
    public typealias ThreeWayComparison<Left: PredicateExpression, Right: PredicateExpression> = Conditional<
      Comparison<Left, Right>, Value<ComparisonResult>,
      Conditional<Comparison<Right, Left>, Value<ComparisonResult>, Value<ComparisonResult>>
    >
    where Left.Output: Comparable, Left.Output == Right.Output

    /// Builds `base.localizedStandardContains(other)`, which finds what people would: case and accents are ignored.
    public static func build_localizedStandardContains<Base, Other>(
      _ base: Base, _ other: Other
    ) -> StringLocalizedStandardContains<Base, Other> {
      build_contains(
        build_KeyPath(root: base, keyPath: \Base.Output._searchKey),
        build_KeyPath(root: other, keyPath: \Other.Output._searchKey))
    }

    /// `base.caseInsensitiveCompare(other)`.
    public static func build_caseInsensitiveCompare<Base: PredicateExpression, Other: PredicateExpression>(
      _ base: Base, _ other: Other
    ) -> ThreeWayComparison<KeyPath<Base, String>, KeyPath<Other, String>>
    where Base.Output: StringProtocol, Other.Output: StringProtocol {
      threeWayComparison(
        build_KeyPath(root: base, keyPath: \Base.Output._loweredText),
        build_KeyPath(root: other, keyPath: \Other.Output._loweredText))
    }

    /// `base.localizedCompare(other)`: as ``TextComparator/localizedStandard`` orders.
    public static func build_localizedCompare<Base: PredicateExpression, Other: PredicateExpression>(
      _ base: Base, _ other: Other
    ) -> ThreeWayComparison<KeyPath<Base, TextForPeople>, KeyPath<Other, TextForPeople>>
    where Base.Output: StringProtocol, Other.Output: StringProtocol {
      threeWayComparison(
        build_KeyPath(root: base, keyPath: \Base.Output._peopleKey),
        build_KeyPath(root: other, keyPath: \Other.Output._peopleKey))
    }

    private static func threeWayComparison<Left: PredicateExpression, Right: PredicateExpression>(
      _ left: Left, _ right: Right
    ) -> ThreeWayComparison<Left, Right> where Left.Output: Comparable, Left.Output == Right.Output {
      build_Conditional(
        build_Comparison(lhs: left, rhs: right, op: .lessThan), build_Arg(.orderedAscending),
        build_Conditional(
          build_Comparison(lhs: right, rhs: left, op: .lessThan), build_Arg(.orderedDescending),
          build_Arg(.orderedSame)))
    }
  }
#endif
