package import Foundation
import LMDB

/// An exact sum of decimals: ± mantissa × 10^exponent at the smallest exponent that occurred.
///
/// Once the digits between the largest and the smallest place exceed 38 the sum is no decimal any more, and
/// ``decimal`` is nil: nothing is rounded silently.
package struct DecimalSum: Hashable, Sendable {
  private var mantissa: Int128 = 0
  private var exponent = 0
  private var isNotANumber = false
  private(set) var isExact = true

  package init() {}

  mutating func add(_ parts: DecimalParts) {
    guard !parts.isNotANumber else {
      isNotANumber = true
      return
    }
    guard isExact, parts.mantissa != 0 else { return }
    guard let magnitude = Int128(exactly: parts.mantissa) else {
      isExact = false
      return
    }
    add(parts.isNegative ? -magnitude : magnitude, at: Int(parts.exponent))
  }

  /// Adds the sum of others, which is exact.
  mutating func add(_ other: DecimalSum) {
    if other.isNotANumber { isNotANumber = true }
    if isExact, other.mantissa != 0 { add(other.mantissa, at: other.exponent) }
  }

  private mutating func add(_ number: Int128, at place: Int) {
    var addend = number
    if mantissa == 0 { exponent = place }
    if place > exponent { addend = raised(addend, by: place - exponent) }
    if place < exponent {
      mantissa = raised(mantissa, by: exponent - place)
      exponent = place
    }
    let (sum, overflows) = mantissa.addingReportingOverflow(addend)
    mantissa = sum
    if overflows { isExact = false }
  }

  private mutating func raised(_ number: Int128, by places: Int) -> Int128 {
    guard places < Self.powers.count else {
      isExact = false
      return 0
    }
    let (product, overflows) = number.multipliedReportingOverflow(by: Self.powers[places])
    if overflows { isExact = false }
    return product
  }

  private static let powers: [Int128] = (0..<39).map { places in (0..<places).reduce(1) { power, _ in power * 10 } }

  /// Nil if no decimal holds the sum exactly.
  package var decimal: Decimal? {
    guard !isNotANumber else { return .nan }
    guard isExact else { return nil }
    var parts = DecimalParts(0)
    parts.isNegative = mantissa < 0
    parts.mantissa = mantissa.magnitude
    guard parts.mantissa != 0 else { return 0 }
    // A sum can lose digits at its end, and then its exponent rises again.
    var place = exponent
    while place > Int(Int8.max) || parts.mantissa % 10 == 0 {
      if place > Int(Int8.max) {
        let (product, overflows) = parts.mantissa.multipliedReportingOverflow(by: 10)
        guard !overflows else { return nil }
        parts.mantissa = product
        place -= 1
        if place == Int(Int8.max) { break }
      } else {
        guard place < Int(Int8.max) else { break }
        parts.mantissa /= 10
        place += 1
      }
    }
    parts.exponent = Int8(place)
    return parts.decimal
  }
}
