package import Foundation
import LMDB

/// An exact sum of decimals, whatever their order: only the result has to be a decimal.
package struct DecimalSum: Hashable, Sendable {
  /// ± mantissa × 10^exponent, at the smallest exponent that occurred: what most sums are.
  private var mantissa: Int128 = 0
  private var exponent = 0
  private var isNotANumber = false
  /// Numbers that had too many digits beside it; nil: none had.
  private var rest: DecimalDigits?

  package init() {}

  mutating func add(_ parts: DecimalParts) {
    if parts.isNotANumber { isNotANumber = true }
    guard parts.mantissa != 0 else { return }
    guard let magnitude = Int128(exactly: parts.mantissa) else {
      return setAside(parts.mantissa, isNegative: parts.isNegative, at: Int(parts.exponent))
    }
    add(parts.isNegative ? -magnitude : magnitude, at: Int(parts.exponent))
  }

  /// Adds the sum of others.
  mutating func add(_ other: DecimalSum) {
    if other.isNotANumber { isNotANumber = true }
    add(other.mantissa, at: other.exponent)
    if let others = other.rest { rest = rest.map { $0 + others } ?? others }
  }

  private mutating func add(_ number: Int128, at place: Int) {
    guard number != 0 else { return }
    if mantissa == 0 { exponent = place }
    let least = min(place, exponent)
    guard let sum = Self.sum(mantissa, raisedBy: exponent - least, number, raisedBy: place - least) else {
      setAside(mantissa.magnitude, isNegative: mantissa < 0, at: exponent)
      (mantissa, exponent) = (number, place)
      return
    }
    (mantissa, exponent) = (sum, least)
  }

  private mutating func setAside(_ magnitude: UInt128, isNegative: Bool, at place: Int) {
    var digits = rest ?? DecimalDigits()
    digits.add(magnitude, isNegative: isNegative, at: place)
    rest = digits
  }

  /// Nil where it has more digits than the type.
  private static func sum(
    _ left: Int128, raisedBy leftPlaces: Int, _ right: Int128, raisedBy rightPlaces: Int
  ) -> Int128? {
    guard let left = raised(left, by: leftPlaces), let right = raised(right, by: rightPlaces) else { return nil }
    let (sum, overflows) = left.addingReportingOverflow(right)
    return overflows ? nil : sum
  }

  private static func raised(_ number: Int128, by places: Int) -> Int128? {
    if places == 0 { return number }
    guard places < powers.count else { return nil }
    let (product, overflows) = number.multipliedReportingOverflow(by: powers[places])
    return overflows ? nil : product
  }

  private static let powers: [Int128] = (0..<39).map { places in (0..<places).reduce(1) { power, _ in power * 10 } }

  /// Nil if no decimal holds the sum exactly.
  package var decimal: Decimal? {
    guard !isNotANumber else { return .nan }
    var parts = DecimalParts(0)
    var place = exponent
    parts.isNegative = mantissa < 0
    parts.mantissa = mantissa.magnitude
    if var digits = rest {
      digits.add(parts.mantissa, isNegative: parts.isNegative, at: place)
      guard let number = digits.number else { return nil }
      (parts.isNegative, parts.mantissa, place) = number
    }
    guard parts.mantissa != 0 else { return 0 }
    // A sum can lose digits at its end, and then its exponent rises again.
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
