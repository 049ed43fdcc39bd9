import Foundation
import RecordStore
import StoreInspection
import Tandem

/// What a store says of its records, apart from their identity: the lines of its dump, in which ids and stamps are
/// numbered by their first mention. A stamp's number says which values one save wrote. Links of a many-to-many
/// relationship, whose ids follow from those of their two sides, stand at the end without ids of their own.
struct StoreLines: Equatable {
  private(set) var lines: [String] = []

  init(_ container: ModelContainer) throws {
    var numbers: [Substring: Int] = [:]
    var isHeader = true
    var links: [String] = []
    try RecordDump.write(container.store) { line in
      defer { isHeader = false }
      if isHeader { return }
      if line.hasPrefix(#"{"entity":"~"#) {
        links.append(line.replacing(/"id":"[0-9a-f]{32}",/, with: ""))
      } else {
        lines.append(Self.numbered(line, &numbers))
      }
    }
    lines += links.map { Self.numbered($0, &numbers) }.sorted()
  }

  private static func numbered(_ line: String, _ numbers: inout [Substring: Int]) -> String {
    let names = /[0-9]+-[0-9]{10,}-[0-9]+-[0-9a-f]{16}|[0-9a-f]{32}/
    var text = ""
    var rest = line[...]
    while let match = rest.firstMatch(of: names) {
      let number = numbers[match.output] ?? numbers.count
      numbers[match.output] = number
      text += rest[..<match.range.lowerBound] + "#\(number)"
      rest = rest[match.range.upperBound...]
    }
    return text + rest
  }
}
