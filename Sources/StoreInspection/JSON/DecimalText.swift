package import Foundation

/// Decimals from text, strictly: Foundation's own reader stops silently at the first character it does not know.
package enum DecimalText {
  /// `12.50`, `-3`, `1e-7`, `NaN`; nil for anything else and where digits would be lost.
  package static func parse(_ text: some StringProtocol) -> Decimal? {
    if text == "NaN" { return .nan }
    var digits = text[...]
    if digits.hasPrefix("-") { digits = digits.dropFirst() }
    let parts = digits.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard mantissa.allSatisfy({ isDigits($0) }), parts.count == 1 || isExponent(parts[1]) else { return nil }
    guard let value = Decimal(string: String(text), locale: nil), !value.isNaN else { return nil }
    let significant = mantissa.joined().drop { $0 == "0" }
    // Foundation makes zero of what is too small.
    guard significant.isEmpty || value != 0 else { return nil }
    // 38 digits always fit the 128-bit mantissa; longer text is taken only if nothing is cut off.
    return significant.count <= 38 || value.description == String(text) ? value : nil
  }

  private static func isDigits(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func isExponent(_ text: some StringProtocol) -> Bool {
    isDigits(text) || ((text.hasPrefix("-") || text.hasPrefix("+")) && isDigits(text.dropFirst()))
  }
}
