/// Rows of text in columns that are as wide as their widest cell. Widths are counted in characters.
public struct TextTable: Hashable, Sendable {
  /// The rows of cells; they may differ in length.
  public var rows: [[String]]
  /// Columns that are flush right; numbers read better so.
  public var rightAligned: Set<Int>

  /// Creates a table from its parts.
  public init(rows: [[String]], rightAligned: Set<Int> = []) {
    self.rows = rows
    self.rightAligned = rightAligned
  }

  /// One line a row, two spaces between columns, none at the end.
  public var lines: [String] { lines(gap: 2) }

  private func lines(gap: Int) -> [String] {
    let widths = rows.reduce(into: [Int]()) { widths, row in
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return rows.map { row in
      var line = row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return rightAligned.contains(column) ? padding + cell : cell + padding
      }.joined(separator: String(repeating: " ", count: gap))
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// As ``lines``, for a terminal of so many columns; nil for any other reader. The widest column is cut as far as it
  /// stays readable, with one space between columns if need be. A table that needs more room becomes a block of lines
  /// for each row, each with the title of its column, which the first row has.
  public func lines(fitting columns: Int?) -> [String] {
    guard let columns, let titles = rows.first else { return lines }
    for gap in [2, 1] {
      let excess = (lines(gap: gap).map(\.count).max() ?? 0) - columns
      let fitted = excess > 0 ? narrowed(by: excess).lines(gap: gap) : lines(gap: gap)
      if fitted.allSatisfy({ $0.count <= columns }) { return fitted }
    }
    return blocks(titles)
  }

  private static let readableWidth = 12

  private func narrowed(by excess: Int) -> TextTable {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
    guard let column = widths.indices.max(by: { widths[$0] < widths[$1] }) else { return self }
    let room = max(TextTable.readableWidth, widths[column] - excess)
    var table = self
    for row in rows.indices where rows[row].count > column && rows[row][column].count > room {
      table.rows[row][column] = rows[row][column].prefix(room - 1) + "…"
    }
    return table
  }

  private func blocks(_ titles: [String]) -> [String] {
    let width = titles.map(\.count).max() ?? 0
    let blocks = rows.dropFirst().map { row in
      zip(titles, row).filter { !$1.isEmpty }.map { title, cell in
        title + String(repeating: " ", count: width - title.count) + "  " + cell
      }
    }
    return Array(blocks.joined(separator: [""]))
  }
}
