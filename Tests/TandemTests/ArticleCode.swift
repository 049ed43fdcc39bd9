import Foundation
import Testing

/// Expects each line of code of an article of Tandem's documentation to stand in a test file that compiles and runs it.
func expectCode(
  of article: String, in file: String, blocks expected: Int? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let here = URL(fileURLWithPath: #filePath)
  let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  let text = try String(
    contentsOf: root.appending(path: "Sources/Tandem/Tandem.docc/\(article).md"), encoding: .utf8)
  let tests = try String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8)
  let known = Set(tests.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
  let blocks = text.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  #expect(!blocks.isEmpty && blocks.count == expected ?? blocks.count, sourceLocation: sourceLocation)
  for line in blocks.flatMap({ $0.split(separator: "\n").dropFirst() }) {
    #expect(known.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)", sourceLocation: sourceLocation)
  }
}
