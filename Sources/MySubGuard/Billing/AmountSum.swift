import Foundation
import RecordStore

/// An exact sum of amounts.
///
/// Kept as a whole number of ten-thousandths, for no currency has more than four decimals: to add decimals takes many
/// times as long, and a year of ten thousand subscriptions adds a hundred thousand of them.
struct AmountSum: Hashable, Sendable {
  private var tenThousandths: Int128 = 0
  /// The sum of what has more decimals or more digits than an amount may have.
  private var rest: Decimal = 0

  private static let decimals = 4
  private static let powers: [Int128] = (0...13).map { places in (0..<places).reduce(1) { power, _ in power * 10 } }

  /// Adds an amount, so many times.
  mutating func add(_ amount: Decimal, times: Int = 1) {
    if let units = Self.units(of: amount) {
      tenThousandths += units * Int128(times)
    } else {
      rest += amount * Decimal(times)
    }
  }

  mutating func add(_ other: AmountSum) {
    tenThousandths += other.tenThousandths
    rest += other.rest
  }

  /// The sum, without zeros behind its last decimal.
  var decimal: Decimal {
    guard tenThousandths != 0 else { return rest }
    var parts = DecimalParts(0)
    parts.isNegative = tenThousandths < 0
    parts.mantissa = tenThousandths.magnitude
    parts.exponent = Int8(-Self.decimals)
    while parts.exponent < 0, parts.mantissa % 10 == 0 {
      parts.mantissa /= 10
      parts.exponent += 1
    }
    return rest == 0 ? parts.decimal : parts.decimal + rest
  }

  /// Nil for what does not fit.
  private static func units(of amount: Decimal) -> Int128? {
    let parts = DecimalParts(amount)
    let place = Int(parts.exponent) + decimals
    guard !parts.isNotANumber, powers.indices.contains(place), let mantissa = Int64(exactly: parts.mantissa) else {
      return nil
    }
    let units = Int128(mantissa) * powers[place]
    return parts.isNegative ? -units : units
  }
}
