import Foundation
import MySubGuard

/// Changes of prices as a person says them.
enum PriceText {
  /// Such as `€2.00 more since Mar 1, 2026 (€39.99 before)`; where the currency changed, both prices.
  static func line(_ step: PriceStep, before: Money) -> String {
    let locale = AppLocale.current
    let (day, former) = (locale.text(step.since), locale.text(before))
    guard step.price.currency == before.currency else {
      return locale.text(.priceInOtherCurrency, locale.text(step.price), day, former)
    }
    let difference = step.price.amount - before.amount
    let size = locale.text(Money(abs(difference), before.currency))
    if difference == 0 { return locale.text(.priceSame, locale.text(step.price), day) }
    return locale.text(difference > 0 ? .priceMore : .priceLess, size, day, former)
  }

  /// One line a change, each with the price that was in force before it.
  static func lines(_ history: PriceHistory) -> [String] {
    history.steps.enumerated().map { index, step in
      line(step, before: index > 0 ? history.steps[index - 1].price : step.before)
    }
  }
}
