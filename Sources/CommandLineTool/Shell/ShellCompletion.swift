import Foundation
import RecordStore

/// Names that may stand at the end of a line: commands, then options, entities, fields and relationships of the store.
struct ShellCompletion {
  /// The letters at the line's end that the candidates begin with.
  let prefix: String
  let candidates: [String]

  init(of line: String, in catalogue: Catalogue) {
    let letters = line.reversed().prefix { $0.isLetter || $0.isNumber || "_.@-".contains($0) }
    let prefix = String(letters.reversed())
    self.prefix = prefix
    let words = line.dropLast(prefix.count).split { $0.isWhitespace }.map(String.init)
    let names =
      if words.isEmpty {
        ShellCommand.names + ShellSetting.names
      } else if words == [".mode"] {
        ListingMode.allCases.map(\.rawValue)
      } else if words == ["help"] || words == ["schema-of"] {
        ShellCommand.names
      } else if prefix.hasPrefix("--") {
        CommandDescription.options(of: words)
      } else {
        CatalogueNames(catalogue).names(after: words, prefix: prefix)
      }
    candidates = Set(names).filter { $0.hasPrefix(prefix) }.sorted()
  }

  /// The letters with which all candidates go on; those of a single one to its end.
  var continuation: String {
    guard let first = candidates.first else { return "" }
    let common = candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    return String(common.dropFirst(prefix.count)) + (candidates.count == 1 ? " " : "")
  }
}
