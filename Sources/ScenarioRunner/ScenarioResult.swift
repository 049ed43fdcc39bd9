/// The outcome of one scenario file.
public struct ScenarioResult: Hashable, Codable, Sendable {
  /// The path of the file.
  public var file: String
  /// Empty when the file could not be read.
  public var id: String
  /// The title, as the file gives it.
  public var title: String
  /// Each a sentence: what was expected and what was found.
  public var failures: [String]

  /// Whether the scenario holds.
  public var holds: Bool { failures.isEmpty }

  /// One line for people, with the file and the first failures of a scenario that does not hold.
  public var line: String {
    let title = [id, title].filter { !$0.isEmpty }.joined(separator: " ")
    guard !holds else { return "ok   \(title)" }
    let name = title.isEmpty ? file : "\(title), in \(file)"
    var sentences = failures.prefix(ScenarioResult.failuresPerLine).map { failure in
      failure.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
    let rest = failures.count - sentences.count
    if rest > 0 { sentences.append("and \(rest) more") }
    return "FAIL \(name): " + sentences.joined(separator: "; ")
  }

  private static let failuresPerLine = 5
}
