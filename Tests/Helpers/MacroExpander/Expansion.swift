import Foundation
import HelperProcess

/// A source with its macros expanded, and what was said about it, as text to pin.
package struct Expansion: Decodable {
  package let text: String
  /// Each diagnostic as `line:column severity: message`, each fix-it with the lines that it changes.
  package let mistakes: String

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private struct Request: Encodable {
    let source: String
    var leaving: Set<String> = []
    var conformances: [String] = []
  }

  /// Has the source expanded by the plugin of the compiler, in a process of its own.
  ///
  /// - Parameter leaving: Macros to leave as they are, so that a test sees one layer alone.
  /// - Parameter conformances: What `@Model` is told that the type does not conform to yet.
  package init(
    of source: String, leaving: Set<String> = [], conformances: [String] = ["PersistentModel", "_RootModel"]
  ) throws {
    self = try Self.answer("expand", Request(source: source, leaving: leaving, conformances: conformances))
  }

  /// The mistakes in the second line and those below of a class `Trip`.
  package static func mistakes(inModel members: String) throws -> String {
    try Expansion(of: "@Model final class Trip {\n\(members)\n  init() {}\n}").mistakes
  }

  /// The problems of a class with its macro, by where they point.
  package struct Problems: Decodable {
    package let count: Int
    /// The messages of those that point into another tree than the source's.
    package let strays: [String]

    package init(of source: String) throws { self = try answer("problems", Request(source: source)) }
  }

  private static func answer<Answer: Decodable>(_ command: String, _ request: Request) throws -> Answer {
    let helper = try HelperProcess(arguments: [command], program: "TandemMacros-tool")
    try helper.send(String(decoding: try JSONEncoder().encode(request), as: UTF8.self))
    let status = try helper.finish()
    guard status == 0, let line = try helper.line() else {
      throw Failure(description: "the plugin ended with status \(status), without an answer")
    }
    return try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
  }
}
