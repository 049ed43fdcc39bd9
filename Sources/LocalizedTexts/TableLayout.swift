/// Rows of text in columns that are as wide as their widest cell, for a terminal.
package struct TableLayout: Hashable, Sendable {
  private var rows: [[String]]
  private let rightAligned: Set<Int>

  package init(rows: [[String]], rightAligned: Set<Int> = []) {
    self.rows = rows.map { $0.map(TerminalText.visible) }
    self.rightAligned = rightAligned
  }

  /// One line a row, two spaces between columns, none at the end.
  package var lines: [String] { lines(gap: 2) }

  private func lines(gap: Int) -> [String] {
    let widths = widths
    return rows.map { row in
      var line = row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - TerminalText.width(cell))
        return rightAligned.contains(column) ? padding + cell : cell + padding
      }.joined(separator: String(repeating: " ", count: gap))
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private var widths: [Int] {
    rows.reduce(into: []) { widths, row in
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], TerminalText.width(cell))
      }
    }
  }

  /// As ``lines``, for a terminal of so many columns; nil for any other reader. The widest column is cut as far as it
  /// stays readable, with one space between columns if need be. A table that needs more room becomes a block of lines
  /// for each row, each with the title of its column, which the first row has.
  package func lines(fitting columns: Int?) -> [String] {
    guard let columns, let titles = rows.first else { return lines }
    for gap in [2, 1] {
      let excess = (lines(gap: gap).map { TerminalText.width($0) }.max() ?? 0) - columns
      let fitted = excess > 0 ? narrowed(by: excess).lines(gap: gap) : lines(gap: gap)
      if fitted.allSatisfy({ TerminalText.width($0) <= columns }) { return fitted }
    }
    return blocks(titles)
  }

  private static let readableWidth = 12

  private func narrowed(by excess: Int) -> TableLayout {
    let widths = widths
    guard let column = widths.indices.max(by: { widths[$0] < widths[$1] }) else { return self }
    let room = max(TableLayout.readableWidth, widths[column] - excess)
    var table = self
    for row in rows.indices where rows[row].count > column {
      table.rows[row][column] = TerminalText.cut(rows[row][column], to: room)
    }
    return table
  }

  private func blocks(_ titles: [String]) -> [String] {
    let width = titles.map { TerminalText.width($0) }.max() ?? 0
    let blocks = rows.dropFirst().map { row in
      zip(titles, row).filter { !$1.isEmpty }.map { title, cell in
        title + String(repeating: " ", count: width - TerminalText.width(title)) + "  " + cell
      }
    }
    return Array(blocks.joined(separator: [""]))
  }
}
