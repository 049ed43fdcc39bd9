import Foundation

/// A figure that shall not be larger than something.
struct Ceiling: Encodable {
  let name: String
  let unit: String
  let figure: Double
  /// Nil where the figure is only shown, for what it is held to was not asked.
  let most: Double?
  let isReached: Bool?

  init(_ name: String, unit: String, figure: Double, most: Double?) {
    (self.name, self.unit, self.figure, self.most) = (name, unit, figure, most)
    isReached = most.map { figure <= $0 }
  }

  var line: String {
    let shown = name.padding(toLength: 44, withPad: " ", startingAt: 0) + ComparisonTable.leading(text(figure), 14)
    guard let most, let isReached else { return shown }
    return shown + "   aim at most \(text(most)) " + (isReached ? "reached" : "missed")
  }

  private func text(_ value: Double) -> String {
    switch unit {
    case "×": String(format: "× %.2f", value)
    // These are small.
    case "s", "%": String(format: "%.3f ", value) + unit
    default: ComparisonTable.grouped(value) + " " + unit
    }
  }
}
