import Foundation

@testable import SQLiteBridge

extension Shop {
  /// Makes a SQLite file beside the store with so many records that the middle of the work can be met.
  func makeLargeFile(recordCount: Int = 12_000) throws -> String {
    let path = folder.appendingPathComponent("large.sqlite").path
    try Data().write(to: URL(fileURLWithPath: path))
    let connection = try SQLiteConnection.filling(path)
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b REAL)")
    try connection.execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(recordCount)) "
        + "INSERT INTO t SELECT i, 'text ' || i, i / 7.0 FROM n")
    return path
  }
}
