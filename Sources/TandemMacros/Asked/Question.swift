import Foundation

/// A question of the tests to the plugin, by its argument: one object of JSON on standard input is answered by one on
/// standard output.
///
/// A test that expanded macros itself would have all of swift-syntax compiled a second time, for the side of the
/// programs; one that depended on the plugin would have all of the package compiled for the compiler's side.
enum Question: String {
  /// The source with its macros expanded.
  case expand
  /// The places of a model's problems.
  case problems

  private struct Source: Decodable {
    let source: String
    let leaving: Set<String>
    let conformances: [String]
  }

  /// Nil for the arguments of a compiler.
  init?(_ arguments: [String]) {
    guard arguments.count == 2, let question = Question(rawValue: arguments[1]) else { return nil }
    self = question
  }

  func answer() throws {
    let asked = try JSONDecoder().decode(Source.self, from: FileHandle.standardInput.readDataToEndOfFile())
    let answer: any Encodable =
      switch self {
      case .expand: ExpandedSource(of: asked.source, leaving: asked.leaving, conformances: asked.conformances)
      case .problems: ModelProblems(of: asked.source)
      }
    FileHandle.standardOutput.write(try JSONEncoder().encode(answer) + [UInt8(ascii: "\n")])
  }
}
