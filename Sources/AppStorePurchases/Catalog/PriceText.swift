import Foundation

/// Prices as they stand in files: text, so that no binary fraction comes between.
enum PriceText {
  /// Digits, and up to three more behind a full stop, fifteen at most: what a token carries exactly, in thousandths.
  ///
  /// Nil for anything else: signs, commas, currency signs, exponents.
  static func decimal(_ text: String) -> Decimal? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isWhole = parts.count == 1 || parts.count == 2 && (1...3).contains(parts[1].count)
    guard isWhole, let units = parts.first, (1...12).contains(units.count),
      parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }
}
