import CSQLite
import Foundation

/// A prepared statement. Not Sendable: used by the thread of its connection, which it keeps open.
///
/// Pointers to texts and bytes of a row live until the next step; they are copied before this returns.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let connection: SQLiteConnection
  let columnCount: Int

  init(_ handle: OpaquePointer, connection: SQLiteConnection) {
    (self.handle, self.connection) = (handle, connection)
    columnCount = Int(sqlite3_column_count(handle))
  }

  deinit { sqlite3_finalize(handle) }

  /// Whether there is a row.
  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    try connection.check(code, "read or write")
    return code == SQLITE_ROW
  }

  func reset() throws { try connection.check(sqlite3_reset(handle), "read or write") }

  /// `place` counts from 0.
  func bind(_ value: SQLiteValue, at place: Int) throws {
    let number = Int32(place + 1)
    let code =
      switch value {
      case .null: sqlite3_bind_null(handle, number)
      case .integer(let value): sqlite3_bind_int64(handle, number, value)
      case .real(let value): sqlite3_bind_double(handle, number, value)
      case .text(let value): bind(value, number)
      case .blob(let value): bind(value, number)
      }
    try connection.check(code, "write")
  }

  private func bind(_ text: String, _ number: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        sqlite3_bind_text64(
          handle, number, bytes.baseAddress ?? SQLiteStatement.nothing, UInt64(bytes.count),
          SQLiteStatement.copies, UInt8(SQLITE_UTF8))
      }
    }
  }

  private func bind(_ data: Data, _ number: Int32) -> Int32 {
    guard !data.isEmpty else { return sqlite3_bind_zeroblob(handle, number, 0) }
    return data.withUnsafeBytes { bytes in
      sqlite3_bind_blob64(handle, number, bytes.baseAddress, UInt64(bytes.count), SQLiteStatement.copies)
    }
  }

  /// Throws `damaged` for text that is no UTF-8.
  func value(at place: Int) throws -> SQLiteValue {
    let number = Int32(place)
    switch sqlite3_column_type(handle, number) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, number))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, number))
    case SQLITE_TEXT:
      let bytes = UnsafeBufferPointer(
        start: sqlite3_column_text(handle, number), count: Int(sqlite3_column_bytes(handle, number)))
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw BridgeError(
          .damaged, "\(connection.path) holds a text that is not UTF-8: correct it with the program that wrote it")
      }
      return .text(text)
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(handle, number))
      guard count > 0, let start = sqlite3_column_blob(handle, number) else { return .blob(Data()) }
      return .blob(Data(bytes: start, count: count))
    default: return .null
    }
  }

  // SQLITE_TRANSIENT is a macro that Swift cannot read: the pointer -1 asks SQLite to copy before the call returns.
  private static var copies: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
  /// Any pointer that is not null, for a text without bytes: a null pointer would be NULL.
  private static var nothing: UnsafePointer<CChar>? { sqlite3_libversion() }
}
