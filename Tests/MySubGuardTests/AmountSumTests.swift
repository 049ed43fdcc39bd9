import Foundation
import TestSupport
import Testing

@testable import MySubGuard

/// Sums and texts of amounts without Foundation's decimals: the same as with them.
@Suite struct AmountSumTests {
  /// With up to so many decimals, of any size that amounts have and beyond.
  private func amount(_ generator: inout SeededGenerator, decimals: Int) -> Decimal {
    let digits = Int.random(in: 0...12, using: &generator)
    let largest = (0..<digits).reduce(1) { power, _ in power * 10 }
    let number = Decimal(Int.random(in: 0...largest, using: &generator))
    let places = Int.random(in: 0...decimals, using: &generator)
    return (0..<places).reduce(number) { value, _ in value / 10 }
  }

  @Test func `a sum is that of decimals, also of what has more decimals than an amount may have`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<500 {
      var (sum, parts, expected) = (AmountSum(), AmountSum(), Decimal(0))
      for _ in 0..<20 {
        let sign: Decimal = generator.oneIn(4) ? -1 : 1
        let value = amount(&generator, decimals: 6) * sign
        let times = Int.random(in: 1...52, using: &generator)
        if generator.oneIn(2) { sum.add(value, times: times) } else { parts.add(value, times: times) }
        expected += value * Decimal(times)
      }
      sum.add(parts)
      #expect(sum.decimal == expected)
      #expect(sum.decimal.description == expected.description)
    }
    #expect(AmountSum().decimal == 0)
  }

  @Test(arguments: ["EUR", "JPY", "KWD"])
  func `an amount is written as Foundation writes it, with the decimals of its currency`(code: String) throws {
    var generator = SeededGenerator.announced()
    let currency = try Currency(code: code)
    let style = Decimal.FormatStyle(locale: Locale(identifier: "en_US_POSIX"))
      .precision(.fractionLength(currency.decimals)).grouping(.never).rounded(rule: .toNearestOrEven)
    for _ in 0..<1_000 {
      let value = amount(&generator, decimals: 6)
      #expect(Amount.text(Money(value, currency)) == value.formatted(style))
    }
    #expect(Amount.text(Money(0, currency)) == Decimal(0).formatted(style))
  }

  @Test(arguments: ["EUR", "JPY", "KWD"])
  func `an amount keeps the rules where rounding changes nothing and it is not too large`(code: String) throws {
    var generator = SeededGenerator.announced()
    let currency = try Currency(code: code)
    for _ in 0..<1_000 {
      let sign: Decimal = generator.oneIn(5) ? -1 : 1
      let value = amount(&generator, decimals: 5) * sign
      var (exact, rounded) = (value, Decimal())
      NSDecimalRound(&rounded, &exact, currency.decimals, .bankers)
      let keepsRules = value >= 0 && value <= Amount.largest && rounded == value
      #expect(keepsRules == ((try? Amount.checked(value, in: currency)) != nil), "\(value)")
    }
    #expect(try Amount.checked(Amount.largest, in: currency) == Amount.largest)
    for amount in [Amount.largest + 1, .nan, Decimal(sign: .plus, exponent: 100, significand: 1)] {
      let refusal = #expect(throws: SubscriptionError.self) { try Amount.checked(amount, in: currency) }
      #expect(refusal?.code == .invalidValue, "\(amount)")
    }
  }
}
