import LocalizedTexts

/// A chart as a picture: an SVG document with signs, houses, planets and aspects.
///
/// A pure function of the chart: no scripts, no fonts or pictures from elsewhere. The symbols are drawn, so that they
/// look alike on machines whose fonts have none. The ascendant is at the left, and signs follow counterclockwise.
///
/// Where the hour of birth is not known, Aries begins at the left, there are no houses, and an arc shows the way of the
/// Moon on that day.
///
/// ```swift
/// let wheel = ChartWheel(chart, title: birth.name, language: .english)
/// try Data(wheel.svg.utf8).write(to: file)
/// ```
public struct ChartWheel: Sendable {
  /// The chart that is drawn.
  public let chart: NatalChart
  /// Above the wheel; empty for none.
  public let title: String
  /// A line below the title; empty for none.
  public let subtitle: String
  /// The language of titles and names.
  public let language: AppLanguage
  /// The colours.
  public let theme: WheelTheme

  /// The side of the drawing in points; it scales to any.
  static let width = 720.0
  static let height = 820.0

  let geometry: WheelGeometry

  /// Creates a picture of a chart.
  public init(
    _ chart: NatalChart, title: String = "", subtitle: String = "", language: AppLanguage,
    theme: WheelTheme = .viewer
  ) {
    self.chart = chart
    self.title = title
    self.subtitle = subtitle
    self.language = language
    self.theme = theme
    geometry = WheelGeometry(left: chart.ascendant?.degrees ?? 0)
  }

  /// The whole document, UTF-8 when written.
  public var svg: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <svg xmlns="http://www.w3.org/2000/svg" width="\(SVGNumber(Self.width))" height="\(SVGNumber(Self.height))" \
    viewBox="0 0 \(SVGNumber(Self.width)) \(SVGNumber(Self.height))" role="img" \
    aria-label="\(XMLText.escaped(summary))">
    <style>
    \(theme.styleSheet)
    </style>
    <rect class="paper" width="\(SVGNumber(Self.width))" height="\(SVGNumber(Self.height))"/>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }

  private var elements: [String] {
    caption + zodiacRing + houseRing + moonWay + aspectLines + planets + legend
  }

  /// One sentence for those who listen to the picture.
  private var summary: String {
    let places = [Planet.sun, .moon].map { planet in
      let signs = chart.position(of: planet).signs.map { $0.name(in: language) }
      return "\(planet.name(in: language)) \(signs.joined(separator: "/"))"
    }
    let ascendant = chart.ascendant.map { "\(language.text(.wheelAscendant)) \($0.sign.name(in: language))" }
    return (places + [ascendant ?? language.text(.timeUnknown)]).joined(separator: ", ")
  }

  private var caption: [String] {
    let middle = SVGNumber(geometry.center.x)
    return [
      #"<text class="title" x="\#(middle)" y="46">\#(XMLText.escaped(title))</text>"#,
      #"<text class="subtitle" x="\#(middle)" y="72">\#(XMLText.escaped(subtitle))</text>"#,
    ]
  }

  /// The kinds of aspects that the chart has, with the colours of their lines.
  private var legend: [String] {
    let kinds = AspectKind.allCases.filter { kind in chart.aspects.contains { $0.kind == kind } }
    let (step, y) = (132.0, Self.height - 22)
    let start = geometry.center.x - step * Double(kinds.count) / 2 + 6
    return kinds.enumerated().flatMap { index, kind in
      let x = start + step * Double(index)
      return [
        WheelGeometry.line(
          WheelGeometry.Point(x: x, y: y - 4), WheelGeometry.Point(x: x + 20, y: y - 4), style: kind.style),
        #"<text class="legend" x="\#(SVGNumber(x + 27))" y="\#(SVGNumber(y))">\#(kind.name(in: language))</text>"#,
      ]
    }
  }
}
