import Foundation

/// A comparison as lines for people: the sides below each other, how many times faster we are, and the aim.
enum ComparisonTable {
  /// What the columns are.
  static let head = "nanoseconds of one operation, the median; its spread; how many times faster we are; the aim"

  static func lines(_ comparison: Comparison) -> [String] {
    let (operations, unit) = (comparison.sides[0].measurement.operations, comparison.sides[0].measurement.unit)
    let head = "\(comparison.name) (\(grouped(Double(operations))) \(operations == 1 ? unit : plural(unit)))"
    return [head] + comparison.sides.enumerated().map { index, side in line(side, isOurs: index == 0) }
  }

  private static func line(_ side: Comparison.Side, isOurs: Bool) -> String {
    let measurement = side.measurement
    let name = "  " + side.name.padding(toLength: 30, withPad: " ", startingAt: 0)
    let each = leading(grouped(measurement.nanosecondsEach) + " ns", 18)
    let spread = leading(spread(measurement), 8)
    guard !isOurs else { return name + each + spread }
    let ratio = leading(String(format: "× %.2f", side.ratio), 12)
    guard let target = side.target, let isReached = side.isReached else { return name + each + spread + ratio }
    return name + each + spread + ratio + String(format: "   aim %.2f ", target) + (isReached ? "reached" : "missed")
  }

  /// Half of the distance between the slowest round and the fastest; one round has none.
  static func spread(_ measurement: Measurement) -> String {
    measurement.seconds.count > 1 ? "±\(Int((measurement.spread * 50).rounded())) %" : "once"
  }

  private static func plural(_ unit: String) -> String {
    if unit.hasSuffix("y") { return unit.dropLast() + "ies" }
    return unit + (unit.hasSuffix("ch") ? "es" : "s")
  }

  static func leading(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// Whole numbers in groups of three.
  static func grouped(_ value: Double) -> String {
    var digits = String(Int(value.rounded()))
    for offset in stride(from: digits.count - 3, to: 0, by: -3) {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: offset))
    }
    return digits
  }
}
