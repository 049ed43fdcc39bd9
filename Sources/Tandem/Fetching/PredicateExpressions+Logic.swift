import Foundation
import RecordStore

extension PredicateExpressions.Conjunction: ConjunctionExpression
where LHS: StandardPredicateExpression<Bool>, RHS: StandardPredicateExpression<Bool> {
  var parts: (any StandardPredicateExpression<Bool>, any StandardPredicateExpression<Bool>) { (lhs, rhs) }
}

extension PredicateExpressions.Conjunction: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard let left = translator.filter(lhs), let right = translator.conditionally({ $0.filter(rhs) }) else {
      return nil
    }
    return .conjunction([left, right])
  }
}

extension PredicateExpressions.Disjunction: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard let left = translator.filter(lhs), let right = translator.conditionally({ $0.filter(rhs) }) else {
      return nil
    }
    return .disjunction([left, right])
  }
}

extension PredicateExpressions.Negation: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    translator.filter(wrapped).map(RecordFilter.negation)
  }
}

extension PredicateExpressions.Conditional: FilterExpression where Output == Bool {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard let test = translator.filter(test), let yes = translator.conditionally({ $0.filter(trueBranch) }),
      let no = translator.conditionally({ $0.filter(falseBranch) })
    else { return nil }
    return .disjunction([.conjunction([test, yes]), .conjunction([.negation(test), no])])
  }
}
