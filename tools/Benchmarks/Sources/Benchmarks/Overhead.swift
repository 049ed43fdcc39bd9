import Foundation

/// How many times as long a save takes because history and stamps are written.
struct Overhead: Encodable {
  let name: String
  let ratio: Double
  private(set) var aim = 1.4

  init(name: String, ratio: Double) {
    self.name = name
    self.ratio = ratio
  }

  var line: String {
    name.padding(toLength: 44, withPad: " ", startingAt: 0)
      + ComparisonTable.leading(String(format: "× %.2f", ratio), 10)
      + String(format: "   aim at most %.2f ", aim) + (ratio <= aim ? "reached" : "missed")
  }
}
