/// The smallest units of currencies, by list one of ISO 4217.
package enum MinorUnit {
  /// The number of digits behind the point.
  package static func decimals(of currencyCode: String) -> Int {
    if whole.contains(currencyCode) { return 0 }
    return thousandths.contains(currencyCode) ? 3 : 2
  }

  /// Minor unit 0.
  private static let whole: Set<String> = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF",
  ]
  /// Minor unit 3.
  private static let thousandths: Set<String> = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
}
