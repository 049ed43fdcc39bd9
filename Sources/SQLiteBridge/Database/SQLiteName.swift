import StoreInspection

/// Names in SQL.
enum SQLiteName {
  /// A name between quotes, which are doubled inside.
  static func quoted(_ name: String) -> String { "\"" + name.replacing(scalar: "\"", with: "\"\"") + "\"" }

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
