/// A whole number of the least unit that a decimal has, with room for every sum of decimals.
struct DecimalDigits: Hashable, Sendable {
  private static let digitsOfGroup = 18
  private static let groupUnit = powers[digitsOfGroup]
  private static let leastPlace = Int(Int8.min)
  private static let powers: [Int128] = (0...digitsOfGroup).map { (0..<$0).reduce(1) { power, _ in power * 10 } }

  /// Groups of digits, the least first; only the last may be negative, and has the sign of all. Decimals end in the
  /// seventeenth, and no number of them fills the one behind.
  private var groups = [Int128](repeating: 0, count: 18)

  mutating func add(_ magnitude: UInt128, isNegative: Bool, at place: Int) {
    let (first, shift) = (place - Self.leastPlace).quotientAndRemainder(dividingBy: Self.digitsOfGroup)
    let unit = isNegative ? -Self.powers[shift] : Self.powers[shift]
    var (group, left) = (first, magnitude)
    while left > 0 {
      let digits: UInt128
      (left, digits) = left.quotientAndRemainder(dividingBy: UInt128(Self.groupUnit))
      groups[group] += Int128(digits) * unit
      group += 1
    }
    carry()
  }

  static func + (left: DecimalDigits, right: DecimalDigits) -> DecimalDigits {
    var sum = left
    for group in sum.groups.indices { sum.groups[group] += right.groups[group] }
    sum.carry()
    return sum
  }

  private mutating func carry() {
    for group in groups.indices.dropLast() {
      var (above, digits) = groups[group].quotientAndRemainder(dividingBy: Self.groupUnit)
      if digits < 0 { (above, digits) = (above - 1, digits + Self.groupUnit) }
      groups[group] = digits
      groups[group + 1] += above
    }
  }

  /// ± mantissa × 10^place; nil where it has more digits than a decimal.
  var number: (isNegative: Bool, mantissa: UInt128, place: Int)? {
    let isNegative = groups[groups.count - 1] < 0
    var magnitude = self
    if isNegative {
      for group in groups.indices { magnitude.groups[group].negate() }
      magnitude.carry()
    }
    guard let least = magnitude.groups.firstIndex(where: { $0 != 0 }) else { return (false, 0, 0) }
    var zeros = 0
    while magnitude.groups[least] % Self.powers[zeros + 1] == 0 { zeros += 1 }
    var mantissa: UInt128 = 0
    for group in (least..<groups.count).reversed() {
      let isLeast = group == least
      let unit = isLeast ? Self.groupUnit / Self.powers[zeros] : Self.groupUnit
      let digits = isLeast ? magnitude.groups[group] / Self.powers[zeros] : magnitude.groups[group]
      let (product, overflows) = mantissa.multipliedReportingOverflow(by: UInt128(unit))
      let (sum, overflowsToo) = product.addingReportingOverflow(UInt128(digits))
      if overflows || overflowsToo { return nil }
      mantissa = sum
    }
    return (isNegative, mantissa, Self.leastPlace + least * Self.digitsOfGroup + zeros)
  }
}
