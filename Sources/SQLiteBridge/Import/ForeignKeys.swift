import RecordStore

/// Finds the rows that foreign keys lead to where the key's values are not the primary key as it stands: another key,
/// or values that are equal by the affinity or the collation of the column that is referred to, as SQLite compares
/// them.
struct ForeignKeys {
  /// The columns of a foreign key.
  struct Columns: Hashable {
    let table: String
    let names: [String]
  }

  private struct Question: Hashable {
    let columns: Columns
    let target: Columns
  }

  private let connection: SQLiteConnection
  private let source: ImportSource
  private var answers: [Question: [[SQLiteValue]: RecordID]] = [:]

  init(_ connection: SQLiteConnection, _ source: ImportSource) {
    (self.connection, self.source) = (connection, source)
  }

  /// The id of the row that values of columns lead to. Asks SQLite once for all rows of the columns' table.
  mutating func lookUp(
    _ values: [SQLiteValue], of columns: Columns, _ target: ImportSource.Target, key: [String]
  ) throws -> RecordID? {
    let question = Question(columns: columns, target: Columns(table: target.table, names: target.columns))
    if let known = answers[question] { return known[values] }
    let found = try answer(question, key: key)
    answers[question] = found
    return found[values]
  }

  private func answer(_ question: Question, key: [String]) throws -> [[SQLiteValue]: RecordID] {
    let target = question.target
    let rows = try statement(question, key: key)
    var answer: [[SQLiteValue]: RecordID] = [:]
    while try rows.step() {
      let values = try (0..<rows.columnCount).map { try rows.value(at: $0) }
      let count = question.columns.names.count
      answer[Array(values.prefix(count))] = DerivedID.id(
        of: Array(values.dropFirst(count)), in: target.table, of: source.namespace)
    }
    return answer
  }

  private func statement(_ question: Question, key: [String]) throws -> SQLiteStatement {
    let (columns, target) = (question.columns, question.target)
    let near = columns.names.map { "near." + SQLiteName.column($0) }
    let far = target.names.map { "far." + SQLiteName.column($0) }
    func sql(_ collation: String) -> String {
      // The plus takes the affinity from the column that refers, so that the other's counts.
      var conditions = zip(near, far).map { "\($1) = +\($0)\(collation)" }
      if key == target.names {
        // The ids of equal values are equal: the others are asked for.
        let same = zip(near, far).map { "typeof(\($0)) = typeof(\($1)) AND \($0) = \($1) COLLATE BINARY" }
        conditions.append("NOT (\(same.joined(separator: " AND ")))")
      }
      let answers = near + key.map { "far." + SQLiteName.column($0) }
      return "SELECT \(answers.joined(separator: ", ")) FROM \(SQLiteName.quoted(columns.table)) AS near "
        + "JOIN \(SQLiteName.quoted(target.table)) AS far ON \(conditions.joined(separator: " AND "))"
    }
    do {
      return try connection.prepare(sql(""))
    } catch {
      // A collation of the program that wrote the file is not known here.
      return try connection.prepare(sql(" COLLATE BINARY"))
    }
  }
}
