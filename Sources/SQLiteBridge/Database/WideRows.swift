/// The rows of one table with any number of columns: SQLite answers with 2,000 at most, and a table may have as many
/// beside the number of the row.
///
/// Statements over the same table step together. None uses an index, so all have the table's own order.
struct WideRows {
  private static let columnsPerStatement = 1_900

  private let statements: [SQLiteStatement]

  /// `columns` are names in SQL, and so is the condition.
  init(_ columns: [String], of table: String, where condition: String?, in connection: SQLiteConnection) throws {
    let from = "\(SQLiteName.quoted(table)) NOT INDEXED" + (condition.map { " WHERE \($0)" } ?? "")
    var statements: [SQLiteStatement] = []
    for start in stride(from: 0, to: columns.count, by: WideRows.columnsPerStatement) {
      let part = columns[start..<min(start + WideRows.columnsPerStatement, columns.count)]
      statements.append(try connection.prepare("SELECT \(part.joined(separator: ", ")) FROM \(from)"))
    }
    self.statements = statements
  }

  /// Whether there is a row.
  func step() throws -> Bool {
    var isRow = false
    for statement in statements { isRow = try statement.step() }
    return isRow
  }

  /// `place` counts from 0 over all columns.
  func value(at place: Int) throws -> SQLiteValue {
    try statements[place / WideRows.columnsPerStatement].value(at: place % WideRows.columnsPerStatement)
  }
}
