/// Rows under a heading, columns aligned; on a terminal cut to its width, or a line for each value where that would cut
/// them beyond recognition; elsewhere whole.
struct TextTable: Sendable {
  enum Alignment: Sendable { case left, right }
  struct Column: Sendable {
    var title: String
    var alignment: Alignment
    init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  private static let gap = "  "
  private static let leastColumnWidth = 4
  private static let readableColumnWidth = 10

  var columns: [Column]
  var rows: [[String]] = []
  init(_ columns: [Column]) { self.columns = columns }

  /// Whether a row shows the first letters of each cell; a table that cuts more is not worth reading.
  private func fits(_ terminal: Terminal) -> Bool {
    guard let limit = terminal.columns else { return true }
    let least = natural().map { min($0, TextTable.readableColumnWidth) }
    return least.reduce(0, +) + TextTable.gap.count * (least.count - 1) <= limit
  }

  /// A block of lines for each row: the column's title, and its value whole.
  func verticalLines(for terminal: Terminal) -> [String] {
    let width = columns.reduce(0) { max($0, DisplayText.width($1.title)) }
    let blocks = rows.map { row in
      zip(columns, row).flatMap { column, cell in
        verticalLines(column.title, cell, titleWidth: width, for: terminal)
      }
    }
    return Array(blocks.joined(separator: [""]))
  }

  private func verticalLines(
    _ title: String, _ cell: String, titleWidth: Int, for terminal: Terminal
  ) -> [String] {
    let indent = titleWidth + TextTable.gap.count
    let space = String(repeating: " ", count: indent - DisplayText.width(title))
    let pieces = DisplayText.pieces(
      cell, of: terminal.columns.map { max($0 - indent, TextTable.leastColumnWidth) } ?? .max)
    let margin = String(repeating: " ", count: indent)
    let head = terminal.styled(title, .bold) + (pieces.isEmpty ? "" : space)
    return pieces.isEmpty ? [head] : [head + pieces[0]] + pieces.dropFirst().map { margin + $0 }
  }

  func lines(for terminal: Terminal) -> [String] {
    guard fits(terminal) else { return verticalLines(for: terminal) }
    let widths = fitted(natural(), to: terminal.columns)
    let heading = line(columns.map(\.title), widths)
    return [terminal.styled(heading, .bold)] + rows.map { line($0, widths) }
  }

  private func natural() -> [Int] {
    columns.indices.map { index in
      rows.reduce(DisplayText.width(columns[index].title)) { max($0, DisplayText.width($1[index])) }
    }
  }

  /// Takes columns from the widest until the row fits.
  private func fitted(_ natural: [Int], to limit: Int?) -> [Int] {
    var widths = natural
    guard let limit else { return widths }
    var excess = widths.reduce(0, +) + TextTable.gap.count * (widths.count - 1) - limit
    while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > TextTable.leastColumnWidth
    {
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var text = ""
    for (index, cell) in cells.enumerated() {
      let shown = DisplayText.cut(cell, to: widths[index])
      let space = String(repeating: " ", count: widths[index] - DisplayText.width(shown))
      if index > 0 { text += TextTable.gap }
      text += columns[index].alignment == .right ? space + shown : shown + space
    }
    while text.last == " " { text.removeLast() }
    return text
  }
}
