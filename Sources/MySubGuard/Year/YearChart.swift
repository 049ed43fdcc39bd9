import Foundation
import LocalizedTexts

/// The charges of a year as an SVG document: a bar a month, divided by category; light and dark as the viewer is set.
///
/// The bars are of one currency, that of the most charges; the sums of others stand below. No scripts, no fonts or
/// pictures from elsewhere.
public struct YearChart: Hashable, Sendable {
  /// The values that the picture shows.
  public let outlook: YearOutlook
  /// The language of the texts.
  public let locale: AppLocale

  private let width = 720
  private let height = 380
  private let left = 72.0
  private let right = 692.0
  private let top = 96.0
  private let bottom = 300.0

  /// Creates a chart from its parts. Nothing is drawn yet.
  public init(_ outlook: YearOutlook, locale: AppLocale = .current) {
    (self.outlook, self.locale) = (outlook, locale)
  }

  /// The whole document, UTF-8 when written.
  public var svg: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
    xml:lang="\(locale.language.rawValue)" role="img" aria-label="\(XMLText.escaped(summary))">
    \(Self.style)
    <rect class="card" x="0.5" y="0.5" width="\(width - 1)" height="\(height - 1)" rx="22"/>
    \((header + axis + bars + legend).joined(separator: "\n"))
    </svg>

    """
  }

  private var main: Currency { outlook.currencies.first ?? .euro }

  private var span: String {
    let days = [outlook.months.first, outlook.months.last].compactMap { $0?.first }
    return days.map { locale.month(of: $0) }.joined(separator: " – ")
  }

  /// One sentence for people that have the picture read to them.
  private var summary: String {
    let sums = (outlook.currencies.isEmpty ? [main] : outlook.currencies).map { locale.text(outlook.sum($0)) }
    return locale.text(.chartSummary, span, sums.joined(separator: " + "))
  }

  private var header: [String] {
    let average = Money(outlook.sum(main).amount / 12, main)
    return [
      SVGText("MySubGuard", x: 28, y: 38, style: "brand", size: 14).element,
      SVGText(span, x: 28, y: 62, style: "quiet", size: 13).element,
      SVGText(locale.text(outlook.sum(main)), x: 692, y: 40, style: "sum end", size: 24).element,
      SVGText(locale.text(.chartAverage, locale.text(average)), x: 692, y: 62, style: "quiet end", size: 13).element,
    ]
  }

  /// The top of the scale: 1, 2 or 5 times a power of ten, four steps of which hold the largest month.
  private var step: Double {
    let largest = outlook.months.map { SVGText.number($0.sum(main)) }.max() ?? 0
    guard largest > 0 else { return 1 }
    let power = pow(10, floor(log10(largest / 4)))
    return ([1, 2, 2.5, 5, 10].first { $0 * power * 4 >= largest } ?? 10) * power
  }

  private func y(_ value: Double) -> Double { bottom - value / (step * 4) * (bottom - top) }

  private var axis: [String] {
    (0...4).flatMap { index -> [String] in
      let value = Double(index) * step
      let place = SVGNumber(y(value))
      let text = value.formatted(.number.locale(locale.locale).precision(.fractionLength(step < 1 ? 1...2 : 0...0)))
      return [
        "<path class=\"rule\" d=\"M\(SVGNumber(left)) \(place)H\(SVGNumber(right))\"/>",
        SVGText(text, x: Int(left) - 10, y: Int(y(value)) + 4, style: "quiet end", size: 11).element,
      ]
    }
  }

  private var bars: [String] {
    let slot = (right - left) / 12
    return outlook.months.enumerated().flatMap { index, month -> [String] in
      let middle = left + (Double(index) + 0.5) * slot
      var parts: [String] = []
      var sum = 0.0
      for category in SubscriptionCategory.allCases.reversed() {
        let value = SVGText.number(month.sum(main, category))
        guard value > 0 else { continue }
        parts.append(bar(category, from: sum, to: sum + value, x: middle - 15))
        sum += value
      }
      if sum > 0 {
        let text = locale.number(Money(month.sum(main), main))
        parts.append(SVGText(text, x: Int(middle), y: Int(y(sum)) - 7, style: "value", size: 10).element)
      }
      return parts + [monthName(month.first, x: Int(middle), isFirst: index == 0)]
    }
  }

  private func bar(_ category: SubscriptionCategory, from low: Double, to high: Double, x: Double) -> String {
    let (top, height) = (SVGNumber(y(high)), SVGNumber(y(low) - y(high)))
    let style = category == .professional ? "professional" : "personal"
    return "<rect class=\"\(style)\" x=\"\(SVGNumber(x))\" y=\"\(top)\" width=\"30\" height=\"\(height)\"/>"
  }

  /// The year stands under the first month and each January.
  private func monthName(_ day: CalendarDay, x: Int, isFirst: Bool) -> String {
    let name = SVGText(locale.shortMonth(of: day), x: x, y: Int(bottom) + 18, style: "quiet middle", size: 11).element
    guard isFirst || day.month == 1 else { return name }
    return name + SVGText("\(day.year)", x: x, y: Int(bottom) + 33, style: "year", size: 11).element
  }

  private var legend: [String] {
    var x = 76
    var parts: [String] = []
    for category in SubscriptionCategory.allCases {
      let style = category == .professional ? "professional" : "personal"
      let sum = outlook.months.reduce(Decimal(0)) { $0 + $1.sum(main, category) }
      let text = SVGText(
        "\(category.name(in: locale)) · \(locale.text(Money(sum, main)))", x: x + 14, y: 356, style: "name", size: 12)
      parts.append("<circle class=\"\(style)\" cx=\"\(x + 4)\" cy=\"352\" r=\"5\"/>")
      parts.append(text.element)
      x += Int(text.width) + 36
    }
    let others = outlook.currencies.dropFirst().map { locale.text(outlook.sum($0)) }
    if !others.isEmpty {
      let text = "+ " + others.joined(separator: " + ")
      parts.append(SVGText(text, x: 692, y: 356, style: "name end", size: 12).element)
    }
    return parts
  }

  private static let style = """
    <style>
    text { font-family: Inter, "Helvetica Neue", "DejaVu Sans", sans-serif; }
    .card { fill: #ffffff; stroke: #e3e6ee; } .rule { stroke: #e3e6ee; fill: none; }
    .brand { fill: #4053d6; font-weight: 600; } .sum { fill: #161a2b; font-weight: 700; }
    .name { fill: #161a2b; font-weight: 500; } .quiet { fill: #6a7086; }
    .value { fill: #161a2b; font-weight: 600; text-anchor: middle; }
    .value { paint-order: stroke; stroke: #ffffff; stroke-width: 4; }
    .year { fill: #161a2b; font-weight: 600; text-anchor: middle; }
    .end { text-anchor: end; } .middle { text-anchor: middle; }
    .professional { fill: #4053d6; } .personal { fill: #f0883e; }
    @media (prefers-color-scheme: dark) {
    .card { fill: #1b1e2b; stroke: #2f3446; } .rule { stroke: #2f3446; }
    .brand { fill: #93a0ff; } .sum, .name, .value, .year { fill: #f2f4fb; } .quiet { fill: #a0a6bb; }
    .value { stroke: #1b1e2b; } .professional { fill: #7f8eff; } .personal { fill: #ffa566; }
    }
    </style>
    """
}
