/// What came of one scenario file.
public struct ScenarioResult: Hashable, Codable, Sendable {
  public var file: String
  /// Empty when the file could not be read.
  public var id: String
  public var title: String
  /// Each a sentence: what was expected and what was found.
  public var failures: [String]

  public var holds: Bool { failures.isEmpty }

  /// One line for people; failures follow on lines of their own.
  public var line: String {
    let title = "\(id) \(title)"
    let name = holds ? title : id.isEmpty ? file : "\(title), in \(file)"
    return ([(holds ? "ok   " : "FAIL ") + name] + failures.map { "       \($0)" }).joined(separator: "\n")
  }
}
