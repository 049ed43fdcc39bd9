import StoreInspection

/// Names in SQL.
enum SQLiteName {
  /// A name between quotes, which are doubled inside.
  static func quoted(_ name: String) -> String { "\"" + name.replacing(scalar: "\"", with: "\"\"") + "\"" }

  /// The names by which SQLite calls the number of a row, unless a column has the name. They are words, not columns.
  static let rowNumbers = ["rowid", "_rowid_", "oid"]

  /// A column, or the number of a row.
  static func column(_ name: String) -> String { rowNumbers.contains(name) ? name : quoted(name) }

  /// Columns of a table in SQL.
  static func list(_ columns: [String]) -> String { columns.map { column($0) }.joined(separator: ", ") }

  /// A name that SQLite takes: it ends texts of SQL at a NUL.
  static func storable(_ name: String) -> String { name.replacing(scalar: "\0", with: "_") }

  /// Equal where SQLite takes two names for one: it folds the case of ASCII alone.
  static func folded(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { scalar in
          ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar
        }))
  }
}
