import Foundation
import MySubGuard

/// Changes of prices as a person says them.
enum PriceText {
  /// Such as `€2.00 more since Mar 1, 2026 (€39.99 before)`, or `from Mar 1, 2026 on` for a day to come; where the
  /// currency changed, both prices.
  static func line(_ step: PriceStep, before: Money, on today: CalendarDay) -> String {
    let locale = AppLocale.current
    let (day, former) = (locale.text(step.since), locale.text(before))
    guard step.price.currency == before.currency else {
      return locale.text(.priceInOtherCurrency, locale.text(step.price), day, former)
    }
    let difference = step.price.amount - before.amount
    let size = locale.text(Money(abs(difference), before.currency))
    if difference == 0 { return locale.text(.priceSame, locale.text(step.price), day) }
    let keys: (more: MessageKey, less: MessageKey) =
      step.since > today ? (.priceMoreFrom, .priceLessFrom) : (.priceMore, .priceLess)
    return locale.text(difference > 0 ? keys.more : keys.less, size, day, former)
  }

  /// One line a change, each with the price that was in force before it.
  static func lines(_ history: PriceHistory, on today: CalendarDay) -> [String] {
    history.steps.enumerated().map { index, step in
      line(step, before: index > 0 ? history.steps[index - 1].price : step.before, on: today)
    }
  }
}
