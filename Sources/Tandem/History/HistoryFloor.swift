import Foundation

/// Where a predicate over transactions allows to begin reading: `transaction.token > last`, with either side first,
/// alone or as a part of a conjunction.
struct HistoryFloor {
  /// Nothing that is not after this place is accepted; nil: anything may be.
  private(set) var after: DefaultHistoryToken?

  init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    guard let predicate else { return }
    take(predicate.expression)
  }

  mutating func take(_ expression: any PredicateExpression) {
    (expression as? any HistoryFloorExpression)?.lower(&self)
  }

  fileprivate mutating func raise(to token: DefaultHistoryToken) { after = after.map { max($0, token) } ?? token }
}

/// A part of a predicate that may say where to begin.
private protocol HistoryFloorExpression {
  func lower(_ floor: inout HistoryFloor)
}

extension PredicateExpressions.Conjunction: HistoryFloorExpression {
  fileprivate func lower(_ floor: inout HistoryFloor) {
    floor.take(lhs)
    floor.take(rhs)
  }
}

extension PredicateExpressions.Comparison: HistoryFloorExpression {
  fileprivate func lower(_ floor: inout HistoryFloor) {
    typealias Token = PredicateExpressions.KeyPath<
      PredicateExpressions.Variable<DefaultHistoryTransaction>, DefaultHistoryToken
    >
    let token =
      switch op {
      case .greaterThan where lhs is Token: constant(rhs)
      case .lessThan where rhs is Token: constant(lhs)
      default: DefaultHistoryToken?.none
      }
    if let token { floor.raise(to: token) }
  }

  private func constant(_ expression: some PredicateExpression) -> DefaultHistoryToken? {
    do {
      return try expression.evaluate(PredicateBindings()) as? DefaultHistoryToken
    } catch {
      // The other side is no constant: the predicate itself decides, transaction by transaction.
      return nil
    }
  }
}
