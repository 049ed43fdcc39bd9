import Foundation

/// Growth as a picture: both axes by powers of ten, one line an operation. A level line does not depend on the size.
struct GrowthChart {
  let title: String
  /// The sizes, powers of ten.
  let counts: [Int]
  let series: [Growth.Series]

  private static let colors = [
    "#4C78A8", "#F58518", "#54A24B", "#E45756", "#72B7B2", "#B279A2", "#9D755D", "#EECA3B", "#BAB0AC",
  ]
  private static let left = 70.0
  private static let top = 40.0
  private static let width = 460.0
  private static let height = 320.0

  var svg: String {
    let values = series.flatMap(\.nanoseconds)
    let low = floor(log10(values.min() ?? 1))
    let high = ceil(log10(values.max() ?? 10))
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 850 420" font-family="sans-serif" font-size="12" fill="#888">
      <text x="\(Self.left)" y="20" font-size="14">\(title)</text>
      """
    ]
    for power in Int(low)...Int(high) {
      let y = Self.y(pow(10, Double(power)), low, high)
      lines.append(Self.line(Self.left, y, Self.left + Self.width, y, "#8884", 1))
      lines.append(Self.text(Self.time(power), x: Self.left - 8, y: y + 4, "end"))
    }
    for (position, count) in counts.enumerated() {
      lines.append(Self.text("10" + Self.raised(count), x: x(position), y: Self.top + Self.height + 20, "middle"))
    }
    for (number, series) in series.enumerated() {
      lines += drawn(series, Self.colors[number % Self.colors.count], row: number, low, high)
    }
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  private func drawn(_ series: Growth.Series, _ color: String, row: Int, _ low: Double, _ high: Double) -> [String] {
    let points = series.nanoseconds.enumerated().map { position, value in
      Self.place(x(position)) + "," + Self.place(Self.y(value, low, high))
    }
    let legend = Self.left + Self.width + 20
    let y = Self.top + 10 + Double(row) * 22
    let name = series.unit.isEmpty ? series.name : "\(series.name), a \(series.unit)"
    return [
      "<polyline points=\"\(points.joined(separator: " "))\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\"/>",
      Self.line(legend, y, legend + 18, y, color, 2),
      Self.text(name, x: legend + 24, y: y + 4, "start"),
    ]
  }

  private func x(_ position: Int) -> Double {
    Self.left + Self.width * Double(position) / Double(max(1, counts.count - 1))
  }

  private static func y(_ value: Double, _ low: Double, _ high: Double) -> Double {
    top + height * (1 - (log10(value) - low) / max(1, high - low))
  }

  private static func line(_ x: Double, _ y: Double, _ x2: Double, _ y2: Double, _ color: String, _ w: Int) -> String {
    "<line x1=\"\(place(x))\" y1=\"\(place(y))\" x2=\"\(place(x2))\" y2=\"\(place(y2))\" "
      + "stroke=\"\(color)\" stroke-width=\"\(w)\"/>"
  }

  private static func text(_ text: String, x: Double, y: Double, _ anchor: String) -> String {
    "<text x=\"\(place(x))\" y=\"\(place(y))\" text-anchor=\"\(anchor)\">\(text)</text>"
  }

  private static func place(_ value: Double) -> String { String(format: "%.1f", value) }

  /// A power of ten of nanoseconds.
  private static func time(_ power: Int) -> String {
    let units = ["ns", "µs", "ms", "s"]
    let unit = min(max(power, 0) / 3, units.count - 1)
    return "\(Int(pow(10, Double(power - 3 * unit)))) \(units[unit])"
  }

  private static func raised(_ count: Int) -> String {
    String(String(Int(log10(Double(count)).rounded())).map { Array("⁰¹²³⁴⁵⁶⁷⁸⁹")[$0.wholeNumberValue ?? 0] })
  }
}
