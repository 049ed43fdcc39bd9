import CSQLite
import Foundation
import LMDB
import RecordStore

/// One connection to a SQLite file. Not Sendable: used by one thread; closed when it goes.
final class SQLiteConnection {
  /// The bound of one value in bytes: no record of ours may be larger.
  static let maximumValueBytes: Int32 = 512 << 20

  /// The first one that lists which tables are virtual, and which belong to these.
  private static let leastVersion: Int32 = 3_037_000

  /// The path that messages name.
  let path: String
  private let handle: OpaquePointer

  /// Makes a new database in an empty file. Throws where the file is not there: an interrupted process may have
  /// discarded it on another thread, and it must not come back.
  static func filling(_ path: String) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path, named: path, flags: SQLITE_OPEN_READWRITE)
    // The file gets its name when it is whole: until then neither a journal nor a flush helps.
    try connection.execute("PRAGMA journal_mode = OFF")
    try connection.execute("PRAGMA synchronous = OFF")
    return connection
  }

  /// Opens a private copy of somebody's file. It is opened for writing, so that what lies in its write-ahead log or
  /// journal counts; statements may only read.
  ///
  /// Nothing of the file runs: no trigger, no view, no function of the schema that could do harm, no extension.
  static func readingCopy(_ path: String, of original: String) throws -> SQLiteConnection {
    guard sqlite3_libversion_number() >= leastVersion else {
      throw BridgeError(.inputOutput, "the system's SQLite is older than 3.37: update the system to import \(original)")
    }
    let connection = try SQLiteConnection(path, named: original, flags: SQLITE_OPEN_READWRITE)
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    ] {
      try connection.check(csqlite_set(connection.handle, Int32(option), Int32(value)), "configure")
    }
    sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, maximumValueBytes)
    sqlite3_limit(connection.handle, SQLITE_LIMIT_ATTACHED, 0)
    try connection.execute("PRAGMA cell_size_check = ON")
    try connection.execute("PRAGMA query_only = ON")
    return connection
  }

  private init(_ path: String, named name: String, flags: Int32) throws {
    self.path = name
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_EXRESCODE, nil)
    guard let opened else {
      throw BridgeError(.inputOutput, "there is no memory to open \(path): close other programs and try again")
    }
    handle = opened
    try check(code, "open")
  }

  deinit { sqlite3_close_v2(handle) }

  func prepare(_ sql: String) throws -> SQLiteStatement {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil), "read")
    guard let statement else { throw BridgeError(.damaged, "\(path) has a table whose name is no name: rename it") }
    return SQLiteStatement(statement, connection: self)
  }

  func execute(_ sql: String) throws {
    let statement = try prepare(sql)
    while try statement.step() {}
  }

  /// The rows of a short answer.
  func rows(_ sql: String, _ values: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
    let statement = try prepare(sql)
    for (place, value) in values.enumerated() { try statement.bind(value, at: place) }
    var rows: [[SQLiteValue]] = []
    while try statement.step() { rows.append(try (0..<statement.columnCount).map { try statement.value(at: $0) }) }
    return rows
  }

  /// Every result code passes through here.
  func check(_ code: Int32, _ action: String) throws {
    switch code & 0xFF {
    case SQLITE_OK, SQLITE_ROW, SQLITE_DONE: return
    case SQLITE_NOTADB, SQLITE_CORRUPT:
      throw BridgeError(
        .damaged, "\(path) is no SQLite file, or a damaged one (\(words)): give a file that its program can open")
    case SQLITE_TOOBIG:
      throw BridgeError(.beyondLimits, "\(path) holds a value of more than 512 MiB, which no record can hold")
    case SQLITE_FULL:
      throw BridgeError(.inputOutput, "the disk is full while \(path) is written: make space and try again")
    default:
      // SQLite cleans up after a write that failed, which may replace the system's number.
      let number = FileSizeLimit.isReached(by: path) ? EFBIG : sqlite3_system_errno(handle)
      let remedy = StoreError.remedy(for: number)
      throw BridgeError(
        .inputOutput, "cannot \(action) \(path) (\(words)): \(remedy ?? "check the file and its permissions")")
    }
  }

  private var words: String { String(cString: sqlite3_errmsg(handle)) }
}
