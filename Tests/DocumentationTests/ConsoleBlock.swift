import Foundation

/// A command of a `console` block, and the lines that the block promises below it.
///
/// A promised line stands for what is said if all but its numbers and the places of `…` is equal; a line of `…` alone
/// stands for any lines. A command without promised lines may say anything.
struct ConsoleStep {
  var command: String
  var promised: [String] = []

  /// The steps of all console blocks of a text, in order.
  static func steps(of text: String) -> [ConsoleStep] {
    var steps: [ConsoleStep] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if isInside, line.hasPrefix("$ ") {
        steps.append(ConsoleStep(command: String(line.dropFirst(2))))
      } else if isInside, !steps.isEmpty {
        steps[steps.count - 1].promised.append(String(line))
      }
    }
    return steps
  }

  /// Whether lines are those that the block promises.
  func isKept(by lines: [String]) -> Bool {
    promised.isEmpty || Self.fits(lines[...], promised[...])
  }

  private static func fits(_ lines: ArraySlice<String>, _ promised: ArraySlice<String>) -> Bool {
    guard let wanted = promised.first else { return lines.isEmpty }
    if wanted == "…" {
      return (lines.startIndex...lines.endIndex).contains { fits(lines[$0...], promised.dropFirst()) }
    }
    guard let line = lines.first, fits(line, wanted) else { return false }
    return fits(lines.dropFirst(), promised.dropFirst())
  }

  private static func fits(_ line: String, _ wanted: String) -> Bool {
    var rest = withoutNumbers(line)[...]
    let parts = withoutNumbers(wanted).components(separatedBy: "…")
    guard parts.count > 1 else { return rest == parts[0] }
    guard rest.hasPrefix(parts[0]), rest.dropFirst(parts[0].count).hasSuffix(parts[parts.count - 1]) else {
      return false
    }
    rest = rest.dropFirst(parts[0].count)
    for part in parts.dropFirst().dropLast() {
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(parts[parts.count - 1])
  }

  private static func withoutNumbers(_ text: String) -> String {
    text.replacing(/[0-9]+/, with: "0").replacing(/[ ]+/, with: " ")
  }
}
