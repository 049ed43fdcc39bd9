import LocalizedTexts

/// Money as the language and the region write it.
extension AppLocale {
  /// Such as `€12.90` and `12,90 €`, with the decimals of the currency.
  public func text(_ money: Money) -> String { texts.money(Amount.text(money), money.currency.rawValue) }

  /// Without the currency: `12.90` and `12,90`.
  func number(_ money: Money) -> String { texts.number(Amount.text(money), money.currency.rawValue) }
}
