public import Foundation
import RecordStore

#if !canImport(Darwin)
  // `#Predicate` accepts these calls on every platform; Foundation has the expressions behind them only on Apple's.

  extension PredicateExpressions {
    /// `base.localizedStandardContains(other)`: case and accents ignored, as people search.
    public struct StringLocalizedStandardContains<Base: PredicateExpression, Other: PredicateExpression>
    where Base.Output: StringProtocol, Other.Output: StringProtocol {
      public let base: Base
      public let other: Other
    }

    /// `base.caseInsensitiveCompare(other)`.
    public struct StringCaseInsensitiveCompare<Base: PredicateExpression, Other: PredicateExpression>
    where Base.Output: StringProtocol, Other.Output: StringProtocol {
      public let base: Base
      public let other: Other
    }

    /// `base.localizedCompare(other)`: as ``TextComparator/localizedStandard`` orders.
    public struct StringLocalizedCompare<Base: PredicateExpression, Other: PredicateExpression>
    where Base.Output: StringProtocol, Other.Output: StringProtocol {
      public let base: Base
      public let other: Other
    }

    public static func build_localizedStandardContains<Base, Other>(
      _ base: Base, _ other: Other
    ) -> StringLocalizedStandardContains<Base, Other> { .init(base: base, other: other) }

    public static func build_caseInsensitiveCompare<Base, Other>(
      _ base: Base, _ other: Other
    ) -> StringCaseInsensitiveCompare<Base, Other> { .init(base: base, other: other) }

    public static func build_localizedCompare<Base, Other>(
      _ base: Base, _ other: Other
    ) -> StringLocalizedCompare<Base, Other> { .init(base: base, other: other) }
  }

  extension PredicateExpressions.StringLocalizedStandardContains: PredicateExpression {
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      PeopleSearch.contains(String(try base.evaluate(bindings)), String(try other.evaluate(bindings)))
    }
  }
  extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Base: Sendable, Other: Sendable {}
  extension PredicateExpressions.StringLocalizedStandardContains: Codable where Base: Codable, Other: Codable {}
  extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
  where Base: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringLocalizedStandardContains: FilterExpression {
    func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
      guard let base = translator.operand(base), let other = translator.operand(other) else { return nil }
      return base.textFilter(other) {
        .localizedContains($0, $1)
      } whenNil: {
        PeopleSearch.contains($0, $1)
      }
    }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare: PredicateExpression {
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      let left = String(try base.evaluate(bindings)).lowercased()
      return PeopleSearch.compare(left, String(try other.evaluate(bindings)).lowercased())
    }
  }
  extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Base: Sendable, Other: Sendable {}
  extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Base: Codable, Other: Codable {}
  extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
  where Base: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringLocalizedCompare: PredicateExpression {
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      PeopleSearch.compare(
        TextForPeople(String(try base.evaluate(bindings))), TextForPeople(String(try other.evaluate(bindings))))
    }
  }
  extension PredicateExpressions.StringLocalizedCompare: Sendable where Base: Sendable, Other: Sendable {}
  extension PredicateExpressions.StringLocalizedCompare: Codable where Base: Codable, Other: Codable {}
  extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
  where Base: StandardPredicateExpression, Other: StandardPredicateExpression {}

  /// The store's rules for texts that people search, on Swift's values.
  private enum PeopleSearch {
    static func contains(_ text: String, _ part: String) -> Bool {
      let text = Array(CanonicalText.folded(text).utf8)
      let part = Array(CanonicalText.folded(part).utf8)
      guard text.count >= part.count else { return false }
      return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }

    static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> ComparisonResult {
      left < right ? .orderedAscending : right < left ? .orderedDescending : .orderedSame
    }
  }
#endif
