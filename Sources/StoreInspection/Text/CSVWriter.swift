/// Rows as RFC 4180 has them: cells between separators, quoted where they hold a separator, a quote or a line end.
///
/// The same bytes in every locale. Rows of commas end in CR LF, as the RFC wants; rows of tabs in LF, as their readers
/// do. A cell without a value is empty, an empty text is `""`.
package struct CSVWriter: Hashable, Sendable {
  /// The character between cells.
  package enum Separator: Character, Hashable, Sendable {
    case comma = ","
    case tab = "\t"
  }

  package let separator: Separator

  package init(_ separator: Separator = .comma) { self.separator = separator }

  /// The characters between rows, and behind the last one.
  package var lineEnd: String { separator == .comma ? "\r\n" : "\n" }

  /// One row without its ``lineEnd``.
  package func row(_ cells: [String?]) -> String {
    // An empty line is no row to most readers.
    if cells.count == 1, cells[0] == nil { return "\"\"" }
    return cells.map { $0.map { cell($0) } ?? "" }.joined(separator: String(separator.rawValue))
  }

  private func cell(_ text: String) -> String {
    let special: Set<Unicode.Scalar> = ["\"", "\r", "\n", ",", "\t"]
    // Blanks at the ends are part of the text, though some readers take them away.
    let scalars = text.unicodeScalars
    guard text.isEmpty || scalars.first == " " || scalars.last == " " || scalars.contains(where: special.contains)
    else { return text }
    return "\"" + text.replacing(scalar: "\"", with: "\"\"") + "\""
  }
}
