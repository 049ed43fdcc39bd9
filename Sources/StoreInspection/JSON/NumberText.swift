import Foundation

/// Doubles from text, without silent changes: `Double` makes infinity of `1e400`, and `0.1` of thirty digits that begin
/// like it.
package enum NumberText {
  /// Digits that the longest exact double has, and some.
  private static let maximumDigits = 800
  /// So many digits come back from every double that is not subnormal (`DBL_DIG` of float.h).
  private static let safeDigits = 15

  /// The nearest double; nil for what is no number, and for digits beyond all doubles.
  package static func double(_ text: some StringProtocol) -> Double? {
    guard let number = Double(text) else { return nil }
    return number.isInfinite && text.utf8.contains(where: Digits.isDigit) ? nil : number
  }

  /// Whether the nearest double, asked for as many digits as the text has, prints the same ones.
  package static func isHeldByDouble(_ text: some StringProtocol) -> Bool {
    guard let number = double(text), number.isFinite, let digits = Digits(text) else { return false }
    let count = digits.significant.count
    if count == 0 || count <= safeDigits && number.isNormal { return true }
    return count <= maximumDigits && Digits(String(format: "%.\(count - 1)e", number)) == digits
  }

  /// A number as 0.digits × 10^exponent, without zeros at either end.
  private struct Digits: Equatable {
    let isNegative: Bool
    let significant: [UInt8]
    let exponent: Int

    /// Nil for what is no decimal number, and for exponents of more than six digits.
    init?(_ text: some StringProtocol) {
      var bytes = Array(text.utf8)[...]
      isNegative = bytes.first == UInt8(ascii: "-")
      if isNegative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
      let parts = bytes.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
      let mantissa = parts[0].split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
      let all = Array(mantissa.joined())
      guard !all.isEmpty, all.allSatisfy(Digits.isDigit),
        let power = parts.count == 1 ? 0 : Int(String(decoding: parts[1], as: UTF8.self)), abs(power) < 1_000_000
      else { return nil }
      let zero = UInt8(ascii: "0")
      let leading = all.prefix { $0 == zero }.count
      let trailing = leading == all.count ? 0 : all.reversed().prefix { $0 == zero }.count
      significant = Array(all[leading..<(all.count - trailing)])
      exponent = significant.isEmpty ? 0 : mantissa[0].count - leading + power
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  }
}
