package import Foundation
package import LMDB

/// A decimal taken apart exactly: ± mantissa × 10^exponent, in the one canonical form that each number has.
///
/// Canonical: the mantissa has no trailing zero as long as the exponent may rise (it ends at 127), and
/// zero is +0 × 10^0. Not-a-number is one value. So equal numbers have equal bytes.
///
/// Bytes in a record: exponent as a signed byte · 0 positive, 1 negative, 2 not a number · the mantissa's
/// bytes, least significant first, without leading zeros (0–16). A price takes 4 or 5 bytes.
package struct DecimalParts: Hashable, Sendable {
  package var isNotANumber = false
  package var isNegative = false
  package var exponent: Int8 = 0
  package var mantissa: UInt128 = 0

  package init(_ decimal: Decimal) {
    guard !decimal.isNaN else {
      isNotANumber = true
      return
    }
    let members = DecimalMembers(decimal)
    mantissa = members.mantissa
    guard mantissa != 0 else { return }
    isNegative = members.isNegative
    exponent = members.exponent
    normalize()
  }

  private mutating func normalize() {
    while exponent < Int8.max {
      let (quotient, digit) = mantissa.quotientAndRemainder(dividingBy: 10)
      guard digit == 0 else { return }
      mantissa = quotient
      exponent += 1
    }
  }

  package var decimal: Decimal {
    guard !isNotANumber else { return .nan }
    return DecimalMembers(exponent: exponent, isNegative: isNegative, mantissa: mantissa).decimal
  }

  var mantissaByteCount: Int { (128 - mantissa.leadingZeroBitCount + 7) / 8 }

  package var encodedByteCount: Int { 2 + mantissaByteCount }

  /// Nil if the bytes are not those of a decimal.
  package init?(encoded bytes: RawBytes) {
    guard (2...18).contains(bytes.count) else { return nil }
    let kind = bytes.load(at: 1, as: UInt8.self)
    guard kind <= 2 else { return nil }
    exponent = bytes.load(at: 0, as: Int8.self)
    isNegative = kind == 1
    isNotANumber = kind == 2
    for offset in stride(from: bytes.count - 1, to: 1, by: -1) {
      mantissa = mantissa << 8 | UInt128(bytes.load(at: offset, as: UInt8.self))
    }
  }

  /// Calls `body` with each byte of the encoded form in turn.
  package func forEachByte(_ body: (UInt8) -> Void) {
    body(UInt8(bitPattern: exponent))
    body(isNotANumber ? 2 : isNegative ? 1 : 0)
    for index in 0..<mantissaByteCount { body(UInt8(truncatingIfNeeded: mantissa >> UInt128(8 * index))) }
  }
}

extension DecimalParts: Comparable {
  /// The exact order of the numbers. Not-a-number is not less than anything, nor anything than it.
  package static func < (left: DecimalParts, right: DecimalParts) -> Bool {
    guard !left.isNotANumber, !right.isNotANumber else { return false }
    if left.isNegative != right.isNegative { return left.isNegative }
    let order = left.compareMagnitude(right)
    return left.isNegative ? order > 0 : order < 0
  }

  /// By the place of the first digit, then by the digits, filled up to the same number.
  private func compareMagnitude(_ other: DecimalParts) -> Int {
    guard mantissa != 0, other.mantissa != 0 else { return (mantissa != 0 ? 1 : 0) - (other.mantissa != 0 ? 1 : 0) }
    let (digits, otherDigits) = (mantissa.decimalDigitCount, other.mantissa.decimalDigitCount)
    let place = Int(exponent) + digits - Int(other.exponent) - otherDigits
    guard place == 0 else { return place }
    let scaled = mantissa.multipliedReportingOverflow(by: .powerOfTen(max(0, otherDigits - digits)))
    let otherScaled = other.mantissa.multipliedReportingOverflow(by: .powerOfTen(max(0, digits - otherDigits)))
    // Only one is scaled by more than 1. Beyond 128 bits it exceeds the other, which is within.
    if scaled.overflow { return 1 }
    if otherScaled.overflow { return -1 }
    return scaled.partialValue < otherScaled.partialValue ? -1 : scaled.partialValue == otherScaled.partialValue ? 0 : 1
  }
}

extension UInt128 {
  fileprivate static func powerOfTen(_ exponent: Int) -> UInt128 {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  fileprivate var decimalDigitCount: Int {
    var count = 0
    var rest = self
    while rest > 0 {
      count += 1
      rest /= 10
    }
    return count
  }
}
