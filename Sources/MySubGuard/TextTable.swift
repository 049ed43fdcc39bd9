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
  public var lines: [String] {
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
      }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
