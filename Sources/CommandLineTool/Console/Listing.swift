import StoreInspection

/// Rows that a command lists: people see them as a table, programs as JSON, CSV or TSV.
protocol Listing {
  var columns: [TextTable.Column] { get }
  var rowCount: Int { get }
  /// The cells for a terminal.
  func shown(_ row: Int) -> [String]
  /// The cells for programs; nil where there is no value.
  func plain(_ row: Int) -> [String?]
  func json(_ row: Int) -> JSON
}

/// How rows are written.
enum ListingMode: String, CaseIterable, Sendable {
  case table, vertical, json, csv, tsv
}

extension Listing {
  /// Without line ends.
  func lines(as mode: ListingMode, for terminal: Terminal) -> [String] {
    switch mode {
    case .json: return (0..<rowCount).map { json($0).description }
    case .csv: return separated(by: .comma)
    case .tsv: return separated(by: .tab)
    case .table, .vertical:
      var table = TextTable(columns)
      table.rows = (0..<rowCount).map { shown($0) }
      return mode == .vertical ? table.verticalLines(for: terminal) : table.lines(for: terminal)
    }
  }

  private func separated(by separator: CSVWriter.Separator) -> [String] {
    let writer = CSVWriter(separator)
    let rows = [writer.row(columns.map(\.title))] + (0..<rowCount).map { writer.row(plain($0)) }
    // The console ends lines in LF; by scalars, as CR LF is one character.
    let rest = String(writer.lineEnd.unicodeScalars.dropLast())
    return rows.map { $0 + rest }
  }
}
