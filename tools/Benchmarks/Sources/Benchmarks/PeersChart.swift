import Foundation

/// Ours beside the peers as a picture: a line for each comparison, and on it, by powers of ten, how many times as long
/// as we each peer took. Readable on white and on black.
struct PeersChart {
  private struct Row {
    let name: String
    let marks: [(family: Family, ratio: Double)]
  }

  /// Peers of one colour.
  private enum Family: String, CaseIterable {
    case codable = "GRDB, Codable"
    case grdb = "GRDB, quicker forms"
    case sqlite = "SQLite"
    case objectBox = "ObjectBox"
    case nothing = "LMDB or the device alone"

    /// Nil for what is no peer.
    init?(_ side: String) {
      switch side {
      case _ where side.hasPrefix("GRDB, Codable"): self = .codable
      case _ where side.hasPrefix("GRDB"): self = .grdb
      case _ where side.hasPrefix("SQLite"): self = .sqlite
      case _ where side.hasPrefix(ObjectBoxLibrary.peer): self = .objectBox
      case "LMDB alone", "the device, our pages alone": self = .nothing
      default: return nil
      }
    }

    var color: String {
      switch self {
      case .codable: "#F58518"
      case .grdb: "#E45756"
      case .sqlite: "#4C78A8"
      case .objectBox: "#54A24B"
      case .nothing: "#B279A2"
      }
    }
  }

  private let rows: [Row]
  private let low: Double
  private let high: Double

  private static let title = "How many times as long as Tandem each peer takes; of stores, how many times as large"
  private static let left = 330.0
  private static let top = 84.0
  private static let width = 490.0
  private static let rowHeight = 20.0

  init(_ report: BenchmarkReport) throws {
    let compared = report.comparisons.map { Self.row($0.name, $0.sides.map { ($0.name, $0.ratio) }) }
    let sizes = report.sizes.map { [Self.row(StoreSizes.name, $0.sides.map { ($0.name, $0.ratio) })] } ?? []
    rows = (compared + sizes).filter { !$0.marks.isEmpty }
    let ratios = rows.flatMap(\.marks).map(\.ratio).filter { $0 > 0 }
    guard let least = ratios.min(), let most = ratios.max() else {
      throw BenchmarkError("there is nothing to draw: --chart takes groups with peers, such as reads")
    }
    (low, high) = (min(-1, floor(log10(least))), max(1, ceil(log10(most))))
  }

  private static func row(_ name: String, _ sides: [(name: String, ratio: Double)]) -> Row {
    Row(name: name, marks: sides.compactMap { side in Family(side.name).map { ($0, side.ratio) } })
  }

  var svg: String {
    let bottom = Self.top + Double(rows.count) * Self.rowHeight
    let head = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 850 \(Int(bottom) + 20)" font-family="sans-serif" \
      font-size="12" fill="#888" role="img">
      <title>\(Self.title)</title>
      <text x="10" y="22" font-size="15">\(Self.title)</text>
      """
    return ([head] + legend + axis(bottom) + rows.enumerated().flatMap(drawn) + ["</svg>", ""])
      .joined(separator: "\n")
  }

  private var legend: [String] {
    var x = 16.0
    return Family.allCases.filter(isShown).flatMap { family in
      defer { x += 34 + Double(family.rawValue.count) * 6.6 }
      return [Self.circle(x, 42, family.color), Self.text(family.rawValue, x: x + 10, y: 46, "start")]
    }
  }

  private func isShown(_ family: Family) -> Bool { rows.contains { $0.marks.contains { $0.family == family } } }

  /// Powers of ten; the ground left of one, where a peer is quicker, is darker.
  private func axis(_ bottom: Double) -> [String] {
    let ground =
      "<rect x=\"\(Self.place(Self.left))\" y=\"\(Self.place(Self.top))\" width=\"\(Self.place(x(1) - Self.left))\" "
      + "height=\"\(Self.place(bottom - Self.top))\" fill=\"#8882\"/>"
    let lines = (Int(low)...Int(high)).flatMap { power in
      let x = x(pow(10, Double(power)))
      return [
        Self.line(x, Self.top, x, bottom, power == 0 ? "#888" : "#8884", power == 0 ? 2 : 1),
        Self.text(Self.times(power), x: x, y: Self.top - 6, "middle"),
      ]
    }
    let sides = [
      Self.text("← the peer is quicker", x: x(1) - 8, y: Self.top - 22, "end"),
      Self.text("Tandem is quicker →", x: x(1) + 8, y: Self.top - 22, "start"),
    ]
    return [ground] + lines + sides
  }

  private func drawn(_ number: Int, _ row: Row) -> [String] {
    let y = Self.top + (Double(number) + 0.5) * Self.rowHeight
    let ends = row.marks.map { x($0.ratio) } + [x(1)]
    return [
      Self.text(Self.escaped(row.name), x: Self.left - 10, y: y + 4, "end"),
      Self.line(ends.min() ?? 0, y, ends.max() ?? 0, y, "#8888", 1),
    ] + row.marks.map { Self.circle(x($0.ratio), y, $0.family.color) }
  }

  private func x(_ ratio: Double) -> Double {
    Self.left + Self.width * (log10(max(ratio, pow(10, low))) - low) / (high - low)
  }

  private static func times(_ power: Int) -> String {
    power < 0 ? String(format: "%.\(-power)f ×", pow(10, Double(power))) : "\(Int(pow(10, Double(power)))) ×"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  private static func circle(_ x: Double, _ y: Double, _ color: String) -> String {
    "<circle cx=\"\(place(x))\" cy=\"\(place(y))\" r=\"4.5\" fill=\"\(color)\"/>"
  }

  private static func line(_ x: Double, _ y: Double, _ x2: Double, _ y2: Double, _ color: String, _ w: Int) -> String {
    "<line x1=\"\(place(x))\" y1=\"\(place(y))\" x2=\"\(place(x2))\" y2=\"\(place(y2))\" "
      + "stroke=\"\(color)\" stroke-width=\"\(w)\"/>"
  }

  private static func text(_ text: String, x: Double, y: Double, _ anchor: String) -> String {
    "<text x=\"\(place(x))\" y=\"\(place(y))\" text-anchor=\"\(anchor)\">\(text)</text>"
  }

  private static func place(_ value: Double) -> String { String(format: "%.1f", value) }
}
