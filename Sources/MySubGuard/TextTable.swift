import LocalizedTexts

/// Rows of text in columns that are as wide as their widest cell. Widths are those of a terminal, where pictures and
/// East Asian characters take two columns.
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
  public var lines: [String] { layout.lines }

  /// As ``lines``, for a terminal of so many columns; nil for any other reader. The widest column is cut as far as it
  /// stays readable, with one space between columns if need be. A table that needs more room becomes a block of lines
  /// for each row, each with the title of its column, which the first row has.
  public func lines(fitting columns: Int?) -> [String] { layout.lines(fitting: columns) }

  private var layout: TableLayout { TableLayout(rows: rows, rightAligned: rightAligned) }
}
