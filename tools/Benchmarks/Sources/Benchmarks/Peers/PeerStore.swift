import Foundation
import GRDB

/// A file of SQLite under GRDB, in the write-ahead log, durable at each commit as our side is.
struct PeerStore {
  let pool: DatabasePool
  let path: String

  /// - Parameter makesTables: false where the file has them for certain.
  init(_ folder: URL, _ name: String, makesTables: Bool = true) throws {
    path = folder.appending(path: name + ".sqlite").path
    pool = try DatabasePool(path: path)
    // The pool sets NORMAL when it prepares its connection, which is not durable at each commit.
    try pool.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON")
      // 2 is FULL.
      guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2,
        try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
      else { throw BenchmarkError("SQLite is not durable at each commit") }
    }
    if makesTables { try pool.write { try $0.execute(sql: Self.tables) } }
  }

  private static let tables = """
    CREATE TABLE IF NOT EXISTS subscription (
      id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL, amount REAL NOT NULL, frequency TEXT NOT NULL,
      nextBillingDate REAL NOT NULL, category TEXT NOT NULL, createdAt REAL NOT NULL, notes TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS subscriptionByDate ON subscription (category, nextBillingDate);
    CREATE TABLE IF NOT EXISTS purchaseRecord (
      id BLOB PRIMARY KEY NOT NULL, transactionID TEXT NOT NULL UNIQUE, productID TEXT NOT NULL, price TEXT NOT NULL,
      date REAL NOT NULL);
    CREATE TABLE IF NOT EXISTS purchaseCredit (
      id INTEGER PRIMARY KEY, ordinal INTEGER NOT NULL,
      purchaseID BLOB NOT NULL REFERENCES purchaseRecord (id) ON DELETE CASCADE);
    CREATE INDEX IF NOT EXISTS creditByPurchase ON purchaseCredit (purchaseID);
    """

  static let insertSQL = "INSERT INTO subscription VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

  func insertByStatement(_ rows: ArraySlice<SubscriptionRow>) throws {
    try pool.write { database in
      let statement = try database.cachedStatement(sql: Self.insertSQL)
      for row in rows { try statement.execute(arguments: row.arguments) }
    }
  }

  func insertByRecord(_ rows: ArraySlice<SubscriptionRow>) throws {
    try pool.write { database in
      for row in rows { try SubscriptionRecord(row).insert(database) }
    }
  }

  /// Copies the log into the file.
  func bringInLog() throws { try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }

  /// What each table and each index takes of the file.
  func bytesByTable() throws -> [String: Int] {
    let rows = try pool.read { try Row.fetchAll($0, sql: "SELECT name, sum(pgsize) FROM dbstat GROUP BY name") }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  /// Parents with their children, by statements, for the clock does not run.
  func fill(_ rows: [PurchaseRow]) throws {
    try pool.write { database in
      let purchase = try database.cachedStatement(sql: "INSERT INTO purchaseRecord VALUES (?, ?, ?, ?, ?)")
      let credit = try database.cachedStatement(sql: "INSERT INTO purchaseCredit (ordinal, purchaseID) VALUES (?, ?)")
      for row in rows {
        try purchase.execute(arguments: [
          row.id, row.transactionID, row.productID, "\(row.price)", row.date.timeIntervalSinceReferenceDate,
        ])
        for ordinal in 0..<PurchaseRow.creditsEach { try credit.execute(arguments: [ordinal, row.id]) }
      }
    }
  }
}
