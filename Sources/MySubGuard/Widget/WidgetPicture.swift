import Foundation
import LocalizedTexts

/// A widget as an SVG document, in the sizes of a home screen, light and dark by the viewer's own setting.
///
/// A pure function of ``WidgetContent``: no scripts, no fonts or pictures from elsewhere, valid XML for any name.
public struct WidgetPicture: Hashable, Sendable {
  /// A size of a home screen's widget.
  public enum Size: String, CaseIterable, Sendable {
    /// 170 × 170 points: the month's sum and the next two charges.
    case small
    /// 364 × 170 points: sums on the left, the next four charges on the right.
    case medium

    var width: Int { self == .small ? 170 : 364 }
    var height: Int { 170 }
  }

  /// The values that the picture shows.
  public let content: WidgetContent
  /// The size of the picture.
  public let size: Size

  /// Creates a picture from its parts. Nothing is drawn yet.
  public init(_ content: WidgetContent, size: Size) {
    self.content = content
    self.size = size
  }

  /// The whole document, UTF-8 when written.
  public var svg: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <svg xmlns="http://www.w3.org/2000/svg" width="\(size.width)" height="\(size.height)" \
    viewBox="0 0 \(size.width) \(size.height)" xml:lang="\(locale.language.rawValue)" role="img" \
    aria-label="\(XMLText.escaped(summary))">
    \(Self.style)
    <rect class="card" x="0.5" y="0.5" width="\(size.width - 1)" height="\(size.height - 1)" rx="22"/>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }

  private var locale: AppLocale { content.locale }
  private var main: Currency { content.totals.mainCurrency }

  /// One sentence for people that have the picture read to them.
  private var summary: String {
    let month = content.monthlySums.joined(separator: " + ")
    guard let next = content.charges.first else { return locale.text(.widgetSummaryEmpty, month) }
    let day = locale.distance(of: next.day, from: content.today)
    return locale.text(.widgetSummary, month, next.subscription.name, day, locale.text(next.price))
  }

  private var elements: [String] {
    switch size {
    case .small: header(width: 138) + list(from: 98, x: 16, width: 138, rows: 2)
    case .medium: header(width: 118) + balance + divider + list(from: 34, x: 158, width: 190, rows: 4)
    }
  }

  /// The sum of a month with its caption.
  private func header(width: Double) -> [String] {
    let sums = content.monthlySums
    let caption = locale.text(.perMonthInAll, "\(content.totals.count)")
    // A second currency takes the caption's place: it must be read beside the sum.
    let second = sums.count > 1 ? "+ " + sums.dropFirst().joined(separator: " + ") : caption
    return [
      SVGText("MySubGuard", x: 16, y: 29, style: "brand", size: 12).element,
      SVGText(sums.first ?? "", x: 16, y: 56, style: "sum", size: 22).fitted(to: width),
      SVGText(second, x: 16, y: 73, style: "quiet", size: 10).fitted(to: width),
    ]
  }

  /// How the month divides into the categories: a bar in two colours and a line for each.
  private var balance: [String] {
    let (width, total) = (118.0, content.totals[main].annual)
    var (x, y) = (16.0, 124)
    var shares: [String] = []
    var lines: [String] = []
    for category in SubscriptionCategory.allCases {
      let sum = content.totals[main, category]
      let share = total > 0 ? width * SVGText.number(sum.annual / total) : 0
      if share > 0 {
        let (left, length) = (SVGNumber(x), SVGNumber(share))
        shares.append(
          "<rect class=\"\(style(of: category))\" x=\"\(left)\" y=\"92\" width=\"\(length)\" height=\"8\"/>")
      }
      x += share
      lines.append("<circle class=\"\(style(of: category))\" cx=\"20\" cy=\"\(y - 4)\" r=\"4\"/>")
      lines.append(SVGText(category.name(in: locale), x: 30, y: y, style: "name", size: 11).element)
      lines.append(SVGText(locale.number(sum.perMonth), x: 134, y: y, style: "amount", size: 11).fitted(to: 50))
      y += 20
    }
    let clip = "<clipPath id=\"bar\"><rect x=\"16\" y=\"92\" width=\"118\" height=\"8\" rx=\"4\"/></clipPath>"
    let background = "<rect class=\"line\" x=\"16\" y=\"92\" width=\"118\" height=\"8\"/>"
    return [clip, "<g clip-path=\"url(#bar)\">\(([background] + shares).joined())</g>"] + lines
  }

  private var divider: [String] { ["<path class=\"rule\" d=\"M146 20V150\"/>"] }

  /// The next charges, two lines each: name and amount, then the day.
  private func list(from top: Int, x: Int, width: Double, rows: Int) -> [String] {
    guard !content.charges.isEmpty else {
      return [SVGText(locale.text(.noChargeToCome), x: x, y: top + 2, style: "quiet", size: 11).element]
    }
    return content.charges.prefix(rows).enumerated().flatMap { row, charge in
      let (y, right) = (top + row * 34, x + Int(width))
      let distance = locale.distance(of: charge.day, from: content.today)
      let day = size == .small ? distance : "\(distance) · \(locale.short(charge.day))"
      let amount = locale.text(charge.price)
      return [
        "<circle class=\"\(style(of: charge.subscription.category))\" cx=\"\(x + 4)\" cy=\"\(y - 4)\" r=\"4\"/>",
        SVGText(charge.subscription.name, x: x + 13, y: y, style: "name", size: 11).fitted(to: width - 13),
        SVGText(day, x: x + 13, y: y + 14, style: "quiet", size: 10).element,
        SVGText(amount, x: right, y: y + 14, style: "amount", size: 11).element,
      ]
    }
  }

  private func style(of category: SubscriptionCategory) -> String {
    switch category {
    case .professional: "professional"
    case .personal: "personal"
    }
  }

  private static let style = """
    <style>
    text { font-family: Inter, "Helvetica Neue", "DejaVu Sans", sans-serif; }
    .card { fill: #ffffff; stroke: #e3e6ee; } .line { fill: #e3e6ee; } .rule { stroke: #e3e6ee; fill: none; }
    .brand { fill: #4053d6; font-weight: 600; } .sum { fill: #161a2b; font-weight: 700; }
    .name { fill: #161a2b; font-weight: 500; } .amount { fill: #161a2b; font-weight: 600; text-anchor: end; }
    .quiet { fill: #6a7086; } .professional { fill: #4053d6; } .personal { fill: #f0883e; }
    @media (prefers-color-scheme: dark) {
    .card { fill: #1b1e2b; stroke: #2f3446; } .line { fill: #2f3446; } .rule { stroke: #2f3446; }
    .brand { fill: #93a0ff; } .sum, .name, .amount { fill: #f2f4fb; } .quiet { fill: #a0a6bb; }
    .professional { fill: #7f8eff; } .personal { fill: #ffa566; }
    }
    </style>
    """
}
