import Foundation

/// The members of a `Decimal` that is a number: ± mantissa × 10^exponent, in whatever form the number has.
///
/// Foundation's own members are not public everywhere, and arithmetic on the significand would cost a microsecond a
/// value. So the bits are read by ``DecimalLayout`` where that holds, and else the number is written as text.
struct DecimalMembers: Equatable {
  var exponent: Int8
  var isNegative: Bool
  var mantissa: UInt128

  init(exponent: Int8, isNegative: Bool, mantissa: UInt128) {
    self.exponent = exponent
    self.isNegative = isNegative
    self.mantissa = mantissa
  }

  init(_ decimal: Decimal) { self = DecimalLayout.isKnown ? DecimalLayout(decimal).members : Self(spelled: decimal) }

  var decimal: Decimal { DecimalLayout.isKnown ? DecimalLayout(self).decimal : spelled }
}

// The slower way.
extension DecimalMembers {
  /// Reads the digits of the significand, which Foundation writes without an exponent.
  init(spelled decimal: Decimal) {
    let digits = decimal.significand.description.utf8.lazy.filter { (48...57).contains($0) }
    let mantissa = digits.reduce(UInt128(0)) { $0 * 10 + UInt128($1 - 48) }
    self.init(
      exponent: Int8(decimal.exponent), isNegative: decimal.isSignMinus && mantissa != 0, mantissa: mantissa)
  }

  /// A number that Foundation reads from text; nothing is rounded.
  var spelled: Decimal {
    Decimal(string: "\(isNegative ? "-" : "")\(mantissa)e\(exponent)") ?? .nan
  }
}
