import Foundation
import RecordStore
import StoreInspection

/// The values of a column that has no type but the one of each value: how many of each kind there are.
struct ColumnContent {
  var integers: Int64 = 0
  var reals: Int64 = 0
  var texts: Int64 = 0
  var blobs: Int64 = 0
  var nulls: Int64 = 0
  /// Whether each integer is 0 or 1.
  var isTruth = true
  /// Integers that no double holds.
  var longIntegers: Int64 = 0
  /// Whether each text is a date by ISO 8601; asked only of columns that are declared as dates.
  var isDates = false
  /// Whether each real is a decimal; asked only where one is wanted.
  var isDecimals = false

  /// Whether the column has values that only a text or bytes hold together. Two that differ may then be one.
  var isMixed: Bool { [integers + reals, texts, blobs].filter { $0 > 0 }.count > 1 }

  /// The columns of a statement may be 2,000, and each takes seven.
  private static let columnsPerStatement = 100

  /// Counts the values of a table's columns, in one walk over the table for each hundred of them.
  static func read(_ table: TableShape, _ connection: SQLiteConnection) throws -> [String: ColumnContent] {
    var contents: [String: ColumnContent] = [:]
    for start in stride(from: 0, to: table.columns.count, by: columnsPerStatement) {
      let columns = table.columns[start..<min(start + columnsPerStatement, table.columns.count)]
      let sums = columns.map { column in
        let name = SQLiteName.quoted(column.name)
        return ["integer", "real", "text", "blob", "null"].map { "total(typeof(\(name)) = '\($0)')" }
          .joined(separator: ", ") + ", total(typeof(\(name)) = 'integer' AND \(name) NOT IN (0, 1))"
          // A cast of a double beyond all integers is the last of these.
          + ", total(typeof(\(name)) = 'integer' AND (\(name) > 9223372036854774784 "
          + "OR CAST(CAST(\(name) AS REAL) AS INTEGER) <> \(name)))"
      }
      let row = try connection.rows(
        "SELECT \(sums.joined(separator: ", ")) FROM \(SQLiteName.quoted(table.name)) NOT INDEXED")[0]
      for (place, column) in columns.enumerated() {
        let counts = row[(place * 7)..<(place * 7 + 7)].map { value -> Int64 in
          if case .real(let count) = value { Int64(count) } else { 0 }
        }
        var content = ColumnContent(
          integers: counts[0], reals: counts[1], texts: counts[2], blobs: counts[3], nulls: counts[4],
          isTruth: counts[5] == 0, longIntegers: counts[6])
        if content.texts > 0, column.isDeclaredDate {
          content.isDates = try values(of: column, "text", table, connection) { DateText.parse($0.text) != nil }
        }
        if content.reals > 0, column.declaredKind == .decimal || content.longIntegers > 0 {
          content.isDecimals = try values(of: column, "real", table, connection) { value in
            SQLiteReading.unix.value(value, as: .decimal) != nil
          }
        }
        contents[column.name] = content
      }
    }
    return contents
  }

  /// Whether each value of a kind is as asked.
  private static func values(
    of column: TableShape.Column, _ kind: String, _ table: TableShape, _ connection: SQLiteConnection,
    are isWanted: (SQLiteValue) -> Bool
  ) throws -> Bool {
    let name = SQLiteName.quoted(column.name)
    let values = try connection.prepare(
      "SELECT \(name) FROM \(SQLiteName.quoted(table.name)) WHERE typeof(\(name)) = '\(kind)'")
    while try values.step() {
      guard isWanted(try values.value(at: 0)) else { return false }
    }
    return true
  }

  /// The type of an attribute that holds all values, and whether that is what the column declares.
  func type(of column: TableShape.Column) -> (type: FieldType, isAsDeclared: Bool) {
    let kinds = [integers > 0, reals > 0, texts > 0, blobs > 0]
    switch kinds {
    case [false, false, false, false]: return (column.declaredKind, true)
    case [true, false, false, false]:
      if column.declaredType.contains("BOOL"), isTruth { return (.bool, true) }
      return column.declaredKind == .decimal ? (.decimal, true) : (.int, column.declaredKind == .int)
    case [true, true, false, false], [false, true, false, false]:
      if isDecimals { return (.decimal, column.declaredKind == .decimal) }
      return longIntegers > 0 ? (.string, false) : (.double, column.declaredKind == .double)
    case [false, false, true, false]:
      if isDates { return (.date, true) }
      return (.string, column.declaredKind == .string)
    case [false, false, false, true]: return (.data, column.declaredKind == .data)
    default: return (blobs > 0 ? .data : .string, false)
    }
  }
}

extension TableShape.Column {
  var isDeclaredDate: Bool { declaredType.contains("DATE") || declaredType.contains("TIME") }

  /// The type that the declaration says, by SQLite's rules of affinity and the names that people use.
  var declaredKind: FieldType {
    if declaredType.contains("BOOL") { return .bool }
    if declaredType.contains("INT") { return .int }
    if ["CHAR", "CLOB", "TEXT"].contains(where: { declaredType.contains($0) }) { return .string }
    if declaredType.isEmpty || declaredType.contains("BLOB") { return .data }
    if ["REAL", "FLOA", "DOUB"].contains(where: { declaredType.contains($0) }) { return .double }
    if isDeclaredDate { return .date }
    if declaredType.contains("DEC") || declaredType.contains("NUM") { return .decimal }
    return .string
  }
}
