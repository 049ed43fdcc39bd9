/// Rows as comma-separated values, by RFC 4180 with line feeds at the ends of lines.
///
/// A field stands between quotes where it holds a comma, a quote or a line end, or begins or ends with a space. An
/// empty text is `""` and a missing value is nothing, so that the two can be told apart.
package struct CSVWriter: Sendable {
  package init() {}

  /// One line without its end; nil is a missing value.
  package func line(_ fields: [String?]) -> String { fields.map { text($0) }.joined(separator: ",") }

  private func text(_ field: String?) -> String {
    guard let field else { return "" }
    guard needsQuotes(field) else { return field }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }

  private func needsQuotes(_ field: String) -> Bool {
    let bytes = field.utf8
    guard let first = bytes.first, let last = bytes.last else { return true }
    let special: Set<UInt8> = [UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r")]
    return first == UInt8(ascii: " ") || last == UInt8(ascii: " ") || bytes.contains { special.contains($0) }
  }
}
